import { agent, type EventStore, runtime, tool } from "@pawl/core";
import { scriptedModel } from "@pawl/testing";
import { beforeEach, describe, expect, it, onTestFinished } from "vitest";
import * as z from "zod";
import { eachWay, without } from "../../../../test/support/each-way.ts";
import { assertSoundLog } from "../../../../test/support/invariants.ts";
import { migrate, migrationFiles, postgresStore } from "../../src/index.ts";
import { NEWEST_COLUMNS, type UsersDatabase, usersDatabase } from "../support/as-user.ts";

/** A process of before lacks `open`, whose function in the database is newer. */
const asBefore = (store: EventStore): EventStore =>
  without(store, "open", "E2 run no tool twice that is not idempotent, with the functions of today, %s");

/** What a user stores is never taken for an append of a run, though the user knows every append id of it. */
describe("E6 E2 append ids of users", () => {
  let database: UsersDatabase;
  beforeEach(async () => {
    database = await usersDatabase();
    onTestFinished(() => database.drop());
  });

  const before009 = async () => {
    for (const [name, file] of Object.entries(migrationFiles()))
      if (name < "009") await database.pool().query(file);
    await database.pool().query(NEWEST_COLUMNS);
  };
  const send = "SELECT * FROM pawl_send_message($1, $2, $3::text::json)";

  /** Mallory sends messages under the append ids that the leg at work will use next. */
  async function takeNextIds(count: number): Promise<string> {
    const { rows } = await database.pool().query(
      `SELECT session_id, append_id FROM agent_session_events
       WHERE append_id ~ ':[0-9]+$' AND append_id NOT LIKE 'user:%' ORDER BY sequence_number DESC LIMIT 1`,
    );
    const { session_id, append_id } = rows[0] as { session_id: string; append_id: string };
    const [leg, last] = append_id.split(/:(?=\d+$)/);
    for (let n = Number(last) + 1; n <= Number(last) + count; n += 1)
      await database.by("mallory", send, [session_id, `${leg}:${n}`, JSON.stringify(`m${n}`)]);
    return session_id;
  }

  it("L3 get no run past its turn limit: every model call is in the log and counts", async () => {
    await migrate(database.pool());
    await database.pool().query("SELECT pawl_grant_users($1)", [database.users]);
    let calls = 0;
    const model = scriptedModel(async () => {
      calls += 1;
      if (calls < 3) await takeNextIds(5);
      return { tools: [{ name: "look", input: { n: calls } }] };
    });
    const look = tool({
      name: "look",
      description: "Looks.",
      input: z.object({ n: z.number() }),
      execute: () => "seen",
    });
    const limited = agent({
      name: "a",
      model,
      instructions: "Look.",
      tools: [look],
      limits: { turns: 3 },
      whenBusy: "queue",
    });
    const pawl = runtime({ agents: [limited], store: postgresStore(database.pool()) });
    const { sessionId, stop, turns } = await pawl.run("a", { userId: "mallory", input: "go" }).result;
    expect({ calls, turns, stop: stop.type }).toEqual({ calls: 3, turns: 3, stop: "turn_limit" });
    const log = await Array.fromAsync(pawl.store.read(sessionId));
    assertSoundLog(log);
    expect(log.filter(({ type }) => type === "llm_request")).toHaveLength(3);
    await pawl.drain();
  });

  /** Mallory takes the ids of a run that pays once. Returns the number of its legs. */
  async function legsOfPayment(prepare: () => Promise<unknown>, as: (store: EventStore) => EventStore) {
    await prepare();
    await database.pool().query("SELECT pawl_grant_users($1)", [database.users]);
    let ran = 0;
    const refund = tool({
      name: "refund",
      description: "Pays.",
      input: z.object({}),
      execute: () => `paid ${++ran}`,
    });
    const look = tool({
      name: "look",
      description: "Looks.",
      input: z.object({}),
      idempotent: true,
      execute: async () => {
        if (ran === 0) await takeNextIds(20);
        await migrate(database.pool());
        return "looked";
      },
    });
    const model = scriptedModel(({ messages }) => {
      const said = JSON.stringify(messages);
      if (said.includes("paid")) return { text: "Done." };
      return { tools: [{ name: said.includes("looked") ? "refund" : "look", input: {} }] };
    });
    const a = agent({ name: "a", model, instructions: "Pay.", tools: [refund, look], whenBusy: "queue" });
    const store = as(postgresStore(database.pool()));
    const pawl = runtime({
      agents: [a],
      store,
      times: { leaseTtlMs: 300, pollMs: 20 },
      onError: () => undefined,
    });
    const { sessionId } = await pawl.run("a", { userId: "mallory", input: "refund me" }).started;
    pawl.start();
    for await (const _event of pawl.follow(sessionId, { untilIdle: true }));
    const log = await Array.fromAsync(store.read(sessionId));
    assertSoundLog(log);
    expect(
      log.filter(({ type, data }) => type === "tool_started" && JSON.stringify(data).includes("refund")),
    ).toHaveLength(1);
    expect({ ran, stop: log.findLast(({ type }) => type === "run_ended")?.data }).toMatchObject({
      ran: 1,
      stop: { stop: { type: "end_turn" } },
    });
    await pawl.drain();
    return log.filter(({ type }) => type === "run_recovered").length + 1;
  }

  it.each(eachWay("open"))(
    "E2 run no tool twice that is not idempotent, with the functions of today, %s",
    async (_, as) => {
      expect(await legsOfPayment(() => migrate(database.pool()), as)).toBe(1);
    },
  );

  it("E2 run no tool twice that is not idempotent, stored by the functions of before, while the database is migrated", async () => {
    expect(await legsOfPayment(before009, asBefore)).toBe(2);
  });

  it("E2 are found again: a message and an answer that are sent again are stored once, across the migration too", async () => {
    await before009();
    await database.pool().query("SELECT pawl_grant_users($1)", [database.users]);
    const store = postgresStore(database.pool());
    await store.sessions.create({ id: "s", userId: "anna", agent: "a" });
    const data = { tool_name: "ask", call_id: "q", kind: "k", payload: {}, answer_schema: {} };
    await store.append("s", [{ type: "tool_suspended", key: "asked:1:q", data }], {
      appendId: "leg:1",
      session: { openRun: "r", status: "suspended", addPending: 1 },
    });
    const answer = ["SELECT * FROM pawl_answer('s', 'b', 1, '1')"] as const;
    const message = [send, ["s", "a", '"hello"']] as const;
    const first = [await database.by("anna", ...message), await database.by("anna", ...answer)];
    await migrate(database.pool());
    expect([await database.by("anna", ...message), await database.by("anna", ...answer)]).toEqual(first);
    const again = [send, ["s", "leg:1", '"hello"']] as const;
    const [second] = await database.by("anna", ...again);
    expect(second).toMatchObject({ sequence_number: 4 });
    expect(await database.by("anna", ...again)).toEqual([second]);
    const { rows } = await database
      .pool()
      .query("SELECT append_id FROM agent_session_events ORDER BY sequence_number");
    expect(rows.map(({ append_id }) => append_id)).toEqual(["leg:1", "a", "b", "user:leg:1"]);
  });
});
