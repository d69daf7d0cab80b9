import { randomUUID } from "node:crypto";
import { agent, type Json, runtime, tool } from "@pawl/core";
import { scriptedModel } from "@pawl/testing";
import type { SupabaseClient } from "@supabase/supabase-js";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import * as z from "zod";
import { assertSoundLog } from "../../../test/support/invariants.ts";
import { answer, sendMessage, supabaseStore } from "../src/index.ts";
import { noStack, type Stack, stack } from "./support/stack.ts";

let project: Stack;
beforeAll(async () => {
  if (noStack !== undefined) return;
  project = await stack();
}, 60_000);
afterAll(() => project?.stop());

async function signedIn(): Promise<{ userId: string; mine: SupabaseClient }> {
  const userId = randomUUID();
  return { userId, mine: project.user(await project.keys.token(userId)) };
}

/** The next append ids of the leg at work, read as nobody but the owner of the tables can. */
async function nextIds(sessionId: string, count: number): Promise<string[]> {
  const { rows } = await project.database.pool().query(
    `SELECT append_id FROM agent_session_events WHERE session_id = $1 AND append_id ~ '^[^:]+:[0-9]+$'
       AND append_id NOT LIKE 'user:%' ORDER BY sequence_number DESC LIMIT 1`,
    [sessionId],
  );
  const [leg, last] = String(rows[0]?.append_id).split(":");
  return Array.from({ length: count }, (_, n) => `${leg}:${Number(last) + 1 + n}`);
}

describe.skipIf(noStack !== undefined)("E6 E11 what users store, over PostgREST with real tokens", () => {
  it.each([
    ["agent_session_events", "append_id"],
    ["agent_session_events", "append_size"],
    ["agent_session_events", "*"],
    ["agent_sessions", "lease_holder"],
    ["agent_sessions", "lease_epoch"],
    ["agent_sessions", "lease_expires_at"],
    ["agent_sessions", "*"],
    ["agent_sessions", "id, agent_session_events(append_id)"],
  ])("E6 a user reads no proof of an append: %s %s", async (table, columns) => {
    const { mine } = await signedIn();
    const { error, status } = await mine.from(table).select(columns);
    expect([error?.code, status]).toEqual(["42501", 403]);
    const ordered = await mine.from(table).select("id").like("append_id", "%:1");
    expect(ordered.error).not.toBeNull();
  });

  it("E6 a user reads the other columns of their own events", async () => {
    const { userId, mine } = await signedIn();
    const id = randomUUID();
    const server = supabaseStore(project.service());
    await server.sessions.create({ id, userId, agent: "a" });
    await server.append(id, [{ type: "note", data: { text: "x" }, key: "k" }], { appendId: "leg:1" });
    const { data } = await mine.from("agent_session_events").select("session_id, event_key, data");
    expect(data).toEqual([{ session_id: id, event_key: "k", data: { text: "x" } }]);
  });

  it("E6 E2 a user who knows a run's append ids gets past no limit, and a tool runs once", async () => {
    const { userId, mine } = await signedIn();
    let ran = 0;
    let calls = 0;
    const pay = tool({
      name: "pay",
      description: "Pays.",
      input: z.object({}),
      execute: () => `paid ${++ran}`,
    });
    let sessionId = "";
    const model = scriptedModel(async () => {
      calls += 1;
      if (calls < 3)
        for (const appendId of await nextIds(sessionId, 4))
          await sendMessage(mine, { sessionId, message: `m ${appendId}`, appendId });
      return { tools: [{ name: "pay", input: {} }] };
    });
    const a = agent({
      name: "a",
      model,
      instructions: "Pay.",
      tools: [pay],
      limits: { turns: 3 },
      whenBusy: "queue",
    });
    const pawl = runtime({
      agents: [a],
      store: supabaseStore(project.service()),
      times: { leaseTtlMs: 500, pollMs: 20 },
    });
    sessionId = (await pawl.store.sessions.create({ id: randomUUID(), userId, agent: "a" })).id;
    const { stop } = await pawl.run("a", { userId, sessionId, input: "pay" }).result;
    const log = await Array.fromAsync(pawl.store.read(sessionId));
    assertSoundLog(log);
    const starts = log.filter(
      ({ type, data }) => type === "tool_started" && JSON.stringify(data).includes("pay"),
    );
    expect([calls, ran, starts.length, stop.type]).toEqual([3, starts.length, starts.length, "turn_limit"]);
    await pawl.drain();
  });

  it("P5 E6 an answer that is too deep, too large or not JSON is refused with an explanation, and the question stays open", async () => {
    const { userId, mine } = await signedIn();
    const ask = tool({
      name: "ask",
      description: "Asks.",
      input: z.object({}),
      suspends: { answer: z.string() },
    });
    const model = scriptedModel([{ tools: [{ name: "ask", input: {} }] }, { text: "Good." }]);
    const a = agent({ name: "a", model, instructions: "Ask.", tools: [ask] });
    const pawl = runtime({ agents: [a], store: supabaseStore(project.service()), times: { pollMs: 20 } });
    const { sessionId, pending } = await pawl.run("a", { userId, input: "go" }).result;
    const question = pending[0]?.seq ?? 0;
    const deep = (levels: number) => JSON.parse("[".repeat(levels) + "]".repeat(levels)) as Json;
    for (const [value, says] of [
      [deep(501), "500 levels"],
      [deep(4_000), "500 levels"],
      ["x".repeat(1_000_000), "1000000 bytes"],
    ] as const) {
      const refused = answer(mine, { sessionId, question, value, appendId: randomUUID() });
      await expect(refused).rejects.toMatchObject({
        code: "invalid_input",
        message: expect.stringContaining(says),
      });
    }
    const bare = { p_session_id: sessionId, p_append_id: "x", p_question: question };
    const odd = await mine.rpc("pawl_rpc_answer", { ...bare, p_value: "{x" });
    expect([odd.status, odd.error?.code]).toEqual([422, "PT422"]);
    const direct = await mine.rpc("pawl_answer", { ...bare, p_value: deep(600) });
    expect([direct.status, direct.error?.code]).toEqual([422, "PT422"]);
    expect((await pawl.view(sessionId, { userId })).pending).toHaveLength(1);

    // What fits the database but not the question is refused where it is used, and the conversation goes on.
    const stored = await answer(mine, {
      sessionId,
      question,
      value: { not: "a text" },
      appendId: randomUUID(),
    });
    await pawl.sweep();
    for await (const _event of pawl.follow(sessionId, { untilIdle: true, afterSeq: stored.seq }));
    const { rows } = await project.database
      .pool()
      .query("SELECT append_id FROM agent_session_events WHERE session_id = $1 AND sequence_number = $2", [
        sessionId,
        stored.seq,
      ]);
    expect(rows[0]?.append_id).toMatch(/^user:/);
    const log = await Array.fromAsync(pawl.store.read(sessionId));
    expect(log.find(({ type }) => type === "tool_result")?.data).toMatchObject({
      success: false,
      result: expect.stringContaining("The answer does not match"),
    });
    expect((await pawl.view(sessionId, { userId })).run?.stop?.type).toBe("end_turn");
    await pawl.drain();
  });
});
