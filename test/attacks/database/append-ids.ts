import { agent, type ModelRequest, runtime, type Tool, tool } from "@pawl/core";
import { postgresStore } from "@pawl/postgres";
import { type Reply, scriptedModel } from "@pawl/testing";
import * as z from "zod";
import { pause } from "../../support/pause.ts";
import { until } from "../../support/until.ts";
import { type Attack, brokenByAny, brokenIf } from "../frame/attack.ts";
import { type UsersDatabase, usersDatabase } from "../parts/database-users.ts";

const TURNS = 5;

export const attack: Attack = {
  id: "rls-append-id",
  title: "A user of the database takes the append ids of a run, to pass its limits or run a tool again",
  state: "held",
  guard: { file: "packages/postgres/test/migrations/user-appends.test.ts", title: "append ids of users" },
  async attempt({ database }) {
    const users = await usersDatabase(await database());
    return await brokenByAny({
      "reading append ids": () => reading(users),
      limits: () => limits(users),
      "a tool that is not idempotent": () => repeated(users),
    });
  },
};

/** Starts a run. Resolves to the session, the end, and the leg's append ids once an event of `type` is there. */
async function begin(
  users: UsersDatabase,
  type: string,
  tools: readonly Tool[],
  script: (request: ModelRequest, n: number) => Reply,
) {
  const { db } = users;
  const model = scriptedModel(script);
  const limits = { turns: TURNS, wallClockMs: 15_000 };
  const made = agent({ name: "a", instructions: "i", model, tools, limits, whenBusy: "queue" });
  const pawl = runtime({ agents: [made], store: postgresStore(db), onError: () => undefined });
  const run = pawl.run("a", { userId: "mallory", input: "Go" });
  const { sessionId } = await run.started;
  await until(async () => (await eventsOf(users, sessionId, type)).length > 0);
  // Only the first event of an append has its id.
  const { rows } = await db.query(
    `SELECT append_id FROM agent_session_events WHERE session_id = $1 AND append_id ~ ':[0-9]+$'
     ORDER BY sequence_number DESC LIMIT 1`,
    [sessionId],
  );
  const [, leg = "", number] = /^(.*):(\d+)$/.exec(String(rows[0]?.append_id)) ?? [];
  return { run, sessionId, leg, next: Number(number) + 1 };
}

async function eventsOf({ db }: UsersDatabase, sessionId: string, type: string) {
  const text = "SELECT data FROM agent_session_events WHERE session_id = $1 AND event_type = $2";
  return (await db.query(text, [sessionId, type])).rows;
}

/** The user sends messages with the append ids that the leg uses next. Returns how many were stored. */
async function take(users: UsersDatabase, sessionId: string, leg: string, from: number): Promise<number> {
  let taken = 0;
  for (let number = from; number < from + 60; number += 1) {
    try {
      await users.by("mallory", "SELECT * FROM pawl_send_message($1, $2, $3::json)", [
        sessionId,
        `${leg}:${number}`,
        JSON.stringify(`message ${number}`),
      ]);
      taken += 1;
    } catch {
      break;
    }
  }
  return taken;
}

const look = tool({
  name: "look",
  description: "Looks.",
  input: z.object({ n: z.number() }),
  repeatable: true,
  execute: async () => {
    await pause(60, "a tool takes its time, in which the user sends messages");
    return "seen";
  },
});

async function reading(users: UsersDatabase): Promise<string> {
  const { run, sessionId } = await begin(users, "llm_request", [], () => ({ text: "Hi." }));
  await run.result;
  const read = await users
    .by("mallory", "SELECT append_id FROM agent_session_events WHERE session_id = $1", [sessionId])
    .then(
      (rows) => rows.length,
      () => 0,
    );
  const own = await users.by("mallory", "SELECT data FROM agent_session_events WHERE session_id = $1", [
    sessionId,
  ]);
  if (own.length === 0) throw new Error("The user cannot read their own events.");
  return brokenIf(read > 0, `${read} append ids are readable`);
}

async function limits(users: UsersDatabase): Promise<string> {
  let calls = 0;
  const { run, sessionId, leg, next } = await begin(users, "llm_request", [look], (_, n) => {
    calls += 1;
    return { tools: [{ name: "look", input: { n } }], latencyMs: 60 };
  });
  const taken = await take(users, sessionId, leg, next);
  await run.result.catch(() => undefined);
  // Each message that is left starts a run of its own, whose calls are in the log as well.
  const logged = (await eventsOf(users, sessionId, "llm_request")).length;
  return brokenIf(
    calls > logged + 1,
    `${taken} ids taken, ${logged} of ${calls} calls of the model are in the log`,
  );
}

async function repeated(users: UsersDatabase): Promise<string> {
  let refunds = 0;
  const refund = tool({
    name: "refund",
    description: "Pays money back.",
    input: z.object({ n: z.number() }),
    execute: async () => {
      refunds += 1;
      return "refunded";
    },
  });
  const { run, sessionId, leg, next } = await begin(users, "tool_started", [look, refund], (_, n) =>
    n < 2 ? { tools: [{ name: n === 0 ? "look" : "refund", input: { n } }] } : { text: "Done." },
  );
  const taken = await take(users, sessionId, leg, next + 3);
  await run.result.catch(() => undefined);
  return brokenIf(refunds > 1, `${taken} ids taken, one call ran ${refunds} times`);
}
