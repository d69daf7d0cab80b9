import { defineConfig } from "vitest/config";

/** One run over every package: tests import the sources, so none of them needs a build. */
export default defineConfig({
  resolve: { conditions: ["@pawl/source"] },
  ssr: { resolve: { conditions: ["@pawl/source"] } },
  test: {
    include: ["packages/*/test/**/*.test.ts", "examples/*/test/**/*.test.ts", "test/**/*.test.ts"],
    globalSetup: ["test/support/shared-postgres.ts"],
    maxWorkers: 2,
    testTimeout: 30_000,
    // A first PGlite or Postgres takes seconds on a busy machine.
    hookTimeout: 60_000,
    typecheck: { enabled: true, include: ["packages/*/test/**/*.test-d.ts"], tsconfig: "./tsconfig.json" },
  },
});
