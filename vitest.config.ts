import { join } from "node:path";
import { configDefaults, defineConfig } from "vitest/config";
import { LongestFirst } from "./test/support/longest-first.ts";
import { NODE_FLAGS } from "./test/support/node-flags.ts";
import { WAITING } from "./test/support/waiting.ts";

/** Files that get a process of their own: they measure memory, or start programs that must answer in time. */
const ALONE = ["test/soak/**/*.test.ts", "packages/mcp/test/{connections,hostile,old-tasks,stdio}.test.ts"];

// The tests' programs load the same modules again and again. Node keeps them compiled, without types.
process.env.NODE_COMPILE_CACHE ??= join(import.meta.dirname, "node_modules", ".cache", "compiled");
// Vitest would print at each start that tests of types are experimental. A green run prints nothing to stderr.
process.env.VITEST_DISABLE_EXPERIMENTAL_LOG ??= "1";

/** One run over every package: tests import the sources, so none of them needs a build. */
export default defineConfig({
  resolve: { conditions: ["@pawl/source"] },
  ssr: { resolve: { conditions: ["@pawl/source"] } },
  test: {
    maxWorkers: 2,
    // Room for new objects (64 MB instead of 1 to 16), because tests make many that live for one test: 6 % less
    // processor time in core's. The rest is what a program of the tests is started with.
    execArgv: [...NODE_FLAGS, "--min-semi-space-size=64", "--max-semi-space-size=64"],
    sequence: { sequencer: LongestFirst },
    // A test that takes a second alone takes many on a machine that does other work.
    testTimeout: 60_000,
    // A first PGlite or Postgres takes seconds on a busy machine.
    hookTimeout: 60_000,
    expect: { poll: { timeout: 20_000 } },
    setupFiles: [
      "test/support/fail-on-print.ts",
      // Times of all files: PAWL_TEST_TIMES=times.jsonl npm test
      ...(process.env.PAWL_TEST_TIMES === undefined ? [] : ["test/support/file-times.ts"]),
    ],
    globalSetup: ["test/support/shared-postgres.ts", "test/support/bundled-programs.ts"],
    projects: [
      {
        extends: true,
        test: {
          name: "alone",
          include: ALONE,
          typecheck: {
            enabled: true,
            include: ["packages/*/test/**/*.test-d.ts"],
            // Only these files and what they import: `npm test` checks the types of all others itself.
            tsconfig: "./tsconfig.type-tests.json",
          },
        },
      },
      {
        extends: true,
        test: { name: "waiting", include: [...WAITING], isolate: false },
      },
      {
        extends: true,
        test: {
          // The files share two processes: most of what a process costs is to load the same modules once more.
          name: "shared",
          include: ["{packages,examples}/*/test/**/*.test.ts", "test/**/*.test.ts"],
          exclude: [...configDefaults.exclude, ...ALONE, ...WAITING],
          isolate: false,
        },
      },
    ],
  },
});
