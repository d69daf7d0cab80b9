import { type Reply, strictModel } from "@pawl/testing";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { assertRebuilds } from "../../../../../test/support/rebuild.ts";
import { settled } from "../../../../../test/support/settled.ts";
import { agent, memoryStore, runtime, type Session, tool } from "../../../src/index.ts";
import { all } from "../../support/logs.ts";
import { until, user } from "../../support/setup.ts";
import { dyingStore } from "../../support/stores.ts";
import { echoTool } from "../../support/tools.ts";

const weather = z.object({ city: z.string(), celsius: z.number().max(60) });
const oslo = { city: "Oslo", celsius: 12 };
const ask = tool({
  name: "ask",
  description: "Asks.",
  input: z.object({}),
  suspends: { answer: z.string() },
});

const wrong = { city: "Oslo", celsius: 99 };

/** A story with a tool, a question, a wrong output and the output. Depends on the conversation alone. */
const replyTo = (turn: number): Reply => {
  if (turn === 0) return { tools: [{ name: "echo", id: "toolu_1", input: { text: "a" } }] };
  if (turn === 1) return { tools: [{ name: "ask", id: "toolu_2" }] };
  return { output: turn === 2 ? wrong : oslo };
};

type More = { outputFormat?: boolean; model?: string };

/** Plays the story. Each process dies at the append with one of these numbers, counted over all processes. */
async function play(diesAt: readonly number[], more: More) {
  let clock = 0;
  const store = memoryStore({ now: () => clock });
  const model = strictModel({
    ...more,
    rules: (request) => replyTo(request.messages.filter(({ role }) => role === "assistant").length),
  });
  let appends = 0;
  const made = () => agent({ name: "a", model, instructions: "x", output: weather, tools: [echoTool, ask] });
  const process = () => {
    const dying = dyingStore(store, () => {
      appends += 1;
      return diesAt.includes(appends);
    });
    return {
      dying,
      pawl: runtime({ agents: [made()], store: dying, times: { storeRetryMs: [], abortGraceMs: 5 } }),
    };
  };
  const sessionId = "s1";
  await store.sessions.create({ id: sessionId, userId: user.userId, agent: "a" });
  const finished = async () => (await all(store, sessionId)).some(({ type }) => type === "run_ended");
  for (let tries = 0; tries < 8 && !(await finished().catch(() => false)); tries += 1) {
    clock += 3_600_000;
    const { dying, pawl } = process();
    const row = async () => (await store.sessions.get(sessionId)) as Session;
    const sweep = async () => {
      for (;;) {
        await pawl.sweep();
        const { status, openRun } = await row();
        if (status !== "active" || openRun === null) return;
        await settled();
      }
    };
    const work = async () => {
      const log = await all(store, sessionId);
      if (log.some(({ type }) => type === "run_started")) await sweep();
      else await pawl.run("a", { ...user, sessionId, input: "Oslo?", clientMessageId: "m1" }).result;
      if ((await row()).status !== "suspended") return;
      await pawl.run("a", { ...user, sessionId, answers: [{ callId: "toolu_2", value: "Yes" }] }).result;
    };
    let isOver = false;
    const over = work().finally(() => {
      isOver = true;
    });
    await Promise.race([over, until(() => dying.dead || isOver)]);
  }
  return { log: await all(store, sessionId), model, appends };
}

describe.each<[string, More]>([
  ["an output format", {}],
  ["a tool", { outputFormat: false }],
])("F2 L1 a story with a tool, a question and a wrong output, by %s", (_, more) => {
  it("ends with the output and one reminder, wherever its process dies", async () => {
    const { appends } = await play([], more);
    expect(appends).toBeGreaterThanOrEqual(8);
    for (let at = 1; at <= appends; at += 1) {
      const { log, model } = await play([at], more);
      const outputs = log.flatMap((event) => (event.type === "output" ? [event.data] : []));
      expect(outputs.map(({ value, reminder }) => value ?? reminder)).toEqual([true, oslo]);
      expect(log.at(-1)).toMatchObject({ type: "run_ended", data: { stop: { type: "end_turn" } } });
      expect(model.rejected).toEqual([]);
      await assertRebuilds([log], model.requests as never);
    }
  }, 60_000);
});
