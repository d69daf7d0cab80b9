import { join } from "node:path";
import { configDefaults, defineConfig } from "vitest/config";
import { LongestFirst } from "./test/support/longest-first.ts";
import { NODE_FLAGS } from "./test/support/node-flags.ts";

/**
 * Files of these need no process of their own: they keep nothing of a run in their modules but a database, and most of what a
 * worker costs is to load the same modules, and to make that database, once more.
 */
const SHARED = [
  "packages/!(mcp|pg-boss|postgres|supabase)/test/**/*.test.ts",
  "examples/{coach,data-parts,trainer}/test/**/*.test.ts",
];

/** What asks for the run's Postgres is served with the others. */
const ON_SERVERS = ["examples/trainer/test/data-servers.test.ts", "examples/trainer/test/smoke.test.ts"];

// The tests' programs load the same modules again and again. Node keeps them compiled, without types.
process.env.NODE_COMPILE_CACHE ??= join(import.meta.dirname, "node_modules", ".cache", "compiled");

/** One run over every package: tests import the sources, so none of them needs a build. */
export default defineConfig({
  resolve: { conditions: ["@pawl/source"] },
  ssr: { resolve: { conditions: ["@pawl/source"] } },
  test: {
    maxWorkers: 2,
    // The rest of what a program of the tests is started with.
    execArgv: [...NODE_FLAGS],
    sequence: { sequencer: LongestFirst },
    testTimeout: 30_000,
    // A first PGlite or Postgres takes seconds on a busy machine.
    hookTimeout: 60_000,
    projects: [
      {
        extends: true,
        test: {
          name: "all",
          include: [
            "packages/{mcp,pg-boss,postgres,supabase}/test/**/*.test.ts",
            "examples/!(coach|data-parts|trainer)/test/**/*.test.ts",
            "test/**/*.test.ts",
            ...ON_SERVERS,
          ],
          globalSetup: ["test/support/shared-postgres.ts"],
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
        test: {
          name: "shared",
          include: SHARED,
          exclude: [...configDefaults.exclude, ...ON_SERVERS],
          isolate: false,
        },
      },
    ],
  },
});
