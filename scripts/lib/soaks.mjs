const core = "packages/core/src";
const postgres = "packages/postgres/src";
const sse = "packages/sse/src";
const client = "packages/client/src";
const otel = "packages/otel/src";
const restate = "packages/restate/src";
// What a store in SQL shares with the others.
const sqlLog = [
  "packages/core/src/stores",
  "packages/core/src/log/store/event-store.ts",
  "packages/core/src/log/session-row.ts",
  "packages/core/src/log/storable.ts",
];

/**
 * The tests with large counts, which `npm run soak` runs, and the code that each one speaks for. A report is
 * out of date once that code has changed too often. A test that imports `test/support/soak.ts` needs a line.
 */
export const SOAKS = {
  "examples/enterprise-search/test/index-folder.test.ts": ["examples/enterprise-search/src"],
  "examples/enterprise-search/test/non-interference.test.ts": ["examples/enterprise-search/src"],
  "packages/core/test/model/partial-json.test.ts": ["packages/core/src/model/partial-json.ts"],
  "packages/sse/test/dialects/ag-ui/ag-ui-moments.test.ts": [core, sse],
  "packages/sse/test/dialects/ai-sdk/ai-sdk-reload.test.ts": [core, sse],
  "packages/sse/test/dialects/random-sessions.test.ts": [core, sse, client, otel],
  "test/openai-runs.test.ts": [core, "packages/openai/src"],
  "test/pages.test.ts": [core],
  "test/soak/attacks.test.ts": [
    core,
    postgres,
    sse,
    client,
    ...["anthropic", "cli", "mcp", "openai", "otel", "remote", "sqlite"].map(
      (name) => `packages/${name}/src`,
    ),
    ...["coach", "enterprise-search", "rocket-league-coach", "trainer"].map((name) => `examples/${name}/src`),
    "examples/playground/server",
    "examples/playground/web",
  ],
  "test/soak/credentials.test.ts": [core, postgres, otel],
  "test/soak/due-runs.test.ts": [core, postgres, "packages/sqlite/src", "packages/cli/src"],
  "test/soak/fairness.test.ts": [core, sse, "packages/mcp/src"],
  "test/soak/engine-kills.test.ts": [core, postgres, restate, "packages/pg-boss/src", "packages/sqlite/src"],
  "test/soak/enterprise-search.test.ts": [
    core,
    postgres,
    "packages/planning/src",
    "examples/enterprise-search/src",
  ],
  "test/soak/file-runs.test.ts": [core],
  "test/soak/kill.test.ts": [core, postgres, sse, client, "examples/playground/server"],
  "test/soak/megabyte.test.ts": [
    "packages/core/src/schema",
    "packages/core/src/tools",
    "packages/core/src/ask",
    sse,
    "packages/mcp/src",
    "packages/remote/src",
    postgres,
  ],
  "test/soak/output-runs.test.ts": [core],
  "test/soak/postgres-appends.test.ts": [...sqlLog, postgres],
  "test/soak/postgres-kills.test.ts": [...sqlLog, postgres],
  "test/soak/random-runs.test.ts": [core],
  "test/soak/refused-runs.test.ts": [core, "packages/anthropic/src", "packages/openai/src"],
  "test/soak/restate-kills.test.ts": [core, postgres, restate],
  "test/soak/resume.test.ts": [core, postgres, sse, client],
  "test/soak/rocket-league-budget.test.ts": [core, postgres, "examples/rocket-league-coach/src"],
  "test/soak/rolling-deploy.test.ts": [core, postgres],
  "test/soak/simulation.test.ts": [core],
  "test/soak/suspension-races.test.ts": [core, postgres],
  "test/type-cost.test.ts": [core, client],
};

/** Returns the command that runs one of them. */
export const soakCommand = (file) => `npm run soak ${soakName(file)}`;

/** Returns the soaks whose names begin with one of `names`, or all. Throws for a name that no soak has. */
export function soaksNamed(names, soaks = SOAKS) {
  const files = Object.keys(soaks);
  const unknown = names.filter((name) => !files.some((file) => soakName(file).startsWith(name)));
  if (unknown.length > 0) {
    throw new Error(`No soak is called ${unknown.join(" or ")}; scripts/lib/soaks.mjs lists them all.`);
  }
  return names.length === 0
    ? files
    : files.filter((file) => names.some((name) => soakName(file).startsWith(name)));
}

const soakName = (file) => file.split("/").at(-1).replace(".test.ts", "");
