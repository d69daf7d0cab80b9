import { relative } from "node:path";
import { BaseSequencer, type TestSpecification } from "vitest/node";

/**
 * Test files that use browsers, processes or databases, longest first. Others take a second on average, and
 * 20 at most.
 */
const LONG = [
  "test/soak/engine-kills.test.ts",
  "packages/mcp/test/stdio.test.ts",
  "packages/mcp/test/old-tasks.test.ts",
  "packages/mcp/test/connections.test.ts",
  "test/snippets.test.ts",
  "examples/rocket-league-coach/test/processes.test.ts",
  "test/enterprise-search-story.test.ts",
  "test/rocket-league-story.test.ts",
  "test/browser.test.ts",
  "test/coach-files-story.test.ts",
  "packages/sse/test/handler/client-gone.test.ts",
  "examples/playground/test/server/process.test.ts",
  "packages/postgres/test/embedded/embedded.test.ts",
  "examples/playground/test/web/layout.test.ts",
  "examples/playground/test/server/database.test.ts",
  "packages/sse/test/dialects/ai-sdk/use-chat.test.ts",
  "examples/playground/test/web/inspector.test.ts",
  "packages/postgres/test/store/contract.test.ts",
  "test/runtimes/workerd.test.ts",
  "test/runtimes/cloudflare.test.ts",
  "examples/fleet/test/processes.test.ts",
  "examples/rocket-league-coach/test/web.test.ts",
  "examples/enterprise-search/test/index-folder.test.ts",
  "examples/playground/test/web/trainer-card.test.ts",
  "examples/enterprise-search/test/web.test.ts",
  "packages/supabase/test/contract.test.ts",
  "examples/rocket-league-coach/test/money.test.ts",
  "packages/cli/test/worker.test.ts",
  "test/crash.test.ts",
  "test/coach-story.test.ts",
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
    // Files that share a process come one after the other: a file of another project between them ends it.
    const kind = ({ project }: TestSpecification): number => project.vitest.projects.indexOf(project);
    return (await super.sort(files)).toSorted((a, b) => kind(a) - kind(b) || rank(a) - rank(b));
  }
}
