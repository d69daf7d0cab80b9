import { configDefaults, defineConfig } from "vitest/config";
import { LongestFirst } from "./test/support/longest-first.ts";

const CORE = "packages/core/test/**/*.test.ts";

/** One run over every package: tests import the sources, so none of them needs a build. */
export default defineConfig({
  resolve: { conditions: ["@pawl/source"] },
  ssr: { resolve: { conditions: ["@pawl/source"] } },
  test: {
    maxWorkers: 2,
    sequence: { sequencer: LongestFirst },
    testTimeout: 30_000,
    // A first PGlite or Postgres takes seconds on a busy machine.
    hookTimeout: 60_000,
    projects: [
      {
        extends: true,
        test: {
          name: "all",
          include: ["packages/*/test/**/*.test.ts", "examples/*/test/**/*.test.ts", "test/**/*.test.ts"],
          exclude: [...configDefaults.exclude, CORE],
          globalSetup: ["test/support/shared-postgres.ts"],
          typecheck: {
            enabled: true,
            include: ["packages/*/test/**/*.test-d.ts"],
            tsconfig: "./tsconfig.json",
          },
        },
      },
      {
        extends: true,
        test: {
          name: "core",
          include: [CORE],
          // Core opens no socket and keeps nothing of a run in its modules, so no file can disturb the next; and most of what a
          // worker costs is to load the same modules once more.
          isolate: false,
        },
      },
    ],
  },
});
