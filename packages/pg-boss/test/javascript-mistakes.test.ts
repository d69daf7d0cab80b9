import * as pgBoss from "@pawl/pg-boss";
import { expect, it } from "vitest";
import { said } from "../../../test/support/mistakes.ts";

// biome-ignore lint/suspicious/noExplicitAny: what plain JavaScript passes has no types
const { pgBossEngine } = pgBoss as any;
const connectionString = "postgres://localhost/app";

it("U6 what JavaScript may pass is refused", async () => {
  expect(
    await said(
      () => pgBossEngine(),
      () => pgBossEngine({}),
      () => pgBossEngine({ connectionString: undefined }),
      () => pgBossEngine(connectionString),
      () => pgBossEngine({ connectionString, boss: 1 }),
      () => pgBossEngine({ connectionString, heartbeat: 20 }),
      () => pgBossEngine({ connectionString, heartbeatSeconds: 5 }),
      () => pgBossEngine({ connectionString, queue: 1 }),
      () => pgBossEngine({ connectionString, queue: "my agents" }),
      () => pgBossEngine({ connectionString, queue: "" }),
    ),
  ).toMatchInlineSnapshot(`
    [
      "config: pgBossEngine() takes an object of options; got undefined.",
      "config: pgBossEngine() needs either \`connectionString\` or \`boss\`, e.g. pgBossEngine({ connectionString: process.env.DATABASE_URL }).",
      "config: pgBossEngine() needs either \`connectionString\` or \`boss\`, e.g. pgBossEngine({ connectionString: process.env.DATABASE_URL }); \`connectionString\` is undefined. Is DATABASE_URL set?",
      "config: pgBossEngine() takes an object of options; got a string.",
      "config: \`boss\` of pgBossEngine() must be a PgBoss; not 1.",
      "config: pgBossEngine() has no option "heartbeat". The options of pgBossEngine() are connectionString, boss, sameDatabase, queue, heartbeatSeconds, onError.",
      "config: \`heartbeatSeconds\` of pgBossEngine() must be an integer of 10 or more; not 5.",
      "config: \`queue\` of pgBossEngine() must be letters, digits, \`_\`, \`-\`, \`.\` or \`/\`, e.g. "agents"; not 1.",
      "config: \`queue\` of pgBossEngine() must be letters, digits, \`_\`, \`-\`, \`.\` or \`/\`, e.g. "agents"; got "my agents".",
      "config: \`queue\` of pgBossEngine() must be letters, digits, \`_\`, \`-\`, \`.\` or \`/\`, e.g. "agents"; got "".",
    ]
  `);
});
