import { relative } from "node:path";
import { BaseSequencer, type TestSpecification } from "vitest/node";

/**
 * Test files that use browsers, processes or databases, longest first. Others take one or two seconds each.
 */
const LONG = [
  "test/soak/kill.test.ts",
  "test/soak/resume.test.ts",
  "test/snippets.test.ts",
  "test/coach-files-story.test.ts",
  "test/browser.test.ts",
  "examples/enterprise-search/test/web.test.ts",
  "examples/rocket-league-coach/test/web.test.ts",
  "examples/playground/test/web/layout.test.ts",
  "examples/playground/test/web/trainer-card.test.ts",
  "test/rocket-league-story.test.ts",
  "packages/supabase/test/contract.test.ts",
  "packages/postgres/test/embedded/embedded.test.ts",
  "examples/playground/test/web/page.test.ts",
  "examples/playground/test/server/process.test.ts",
  "packages/postgres/test/store/contract.test.ts",
  "packages/sse/test/dialects/base/telling.test.ts",
  "examples/playground/test/web/inspector.test.ts",
  "packages/postgres/test/maintenance/copy-log.test.ts",
  "packages/mcp/test/stdio.test.ts",
  "test/crash.test.ts",
  "examples/playground/test/web/states.test.ts",
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
    // Files that share a process come one after the other: a file of another kind between them ends it.
    const kind = ({ project }: TestSpecification): number => Number(!project.config.isolate);
    return (await super.sort(files)).toSorted((a, b) => kind(a) - kind(b) || rank(a) - rank(b));
  }
}
