import { relative } from "node:path";
import { BaseSequencer, type TestSpecification } from "vitest/node";

/**
 * Test files that use browsers, processes or databases, longest first. Others take one or two seconds each.
 */
const LONG = [
  "test/browser.test.ts",
  "test/snippets.test.ts",
  "packages/postgres/test/embedded/embedded.test.ts",
  "packages/sse/test/dialects/base/telling.test.ts",
  "examples/playground/test/web/layout.test.ts",
  "examples/playground/test/web/inspector.test.ts",
  "test/soak/kill.test.ts",
  "packages/postgres/test/store/contract.test.ts",
  "examples/playground/test/server/process.test.ts",
  "examples/playground/test/web/page.test.ts",
  "test/soak/resume.test.ts",
  "examples/playground/test/web/states.test.ts",
  "packages/postgres/test/maintenance/copy-log.test.ts",
  "test/crash.test.ts",
];

/**
 * Runs the long files first, so that no worker is idle at the end. Vitest sorts by earlier times or by size
 * instead; some of the longest files are small.
 */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId, project }: TestSpecification): number => {
      const place = LONG.indexOf(relative(project.vitest.config.root, moduleId).replaceAll("\\", "/"));
      return place === -1 ? LONG.length : place;
    };
    return (await super.sort(files)).toSorted((a, b) => rank(a) - rank(b));
  }
}
