import { agent, approval, jsonSchema, memoryStore, runtime, tool } from "@pawl/core";
import { scriptedModel } from "@pawl/testing";
import { expect, it } from "vitest";
import { emptySession, sessionUpTo, wholeSession } from "../../src/session/session-then.ts";

const input = jsonSchema<{ mode?: string }>({ type: "object" });
const call = (id: string, name: string, given: { mode?: string } = {}) => ({
  tools: [{ id, name, input: given }],
});

/** A session of three runs: an approved call and a mode, a denied one and another mode, and one that failed. */
async function threeRuns() {
  const store = memoryStore();
  const gated = tool({ name: "gated", description: "x", input, execute: () => "went through" });
  const turn = tool({
    name: "turn",
    description: "x",
    input,
    execute: ({ mode = "" }, { setMode }) => {
      setMode(mode);
      return mode;
    },
  });
  const model = scriptedModel([
    call("c1", "gated"),
    call("c2", "turn", { mode: "calm" }),
    { text: "One." },
    call("c3", "gated"),
    call("c4", "turn", { mode: "wild" }),
    { text: "Two." },
    { fault: { status: 400 } },
  ]);
  const hooks = [approval({ when: ["gated"] })];
  const coach = agent({ name: "coach", model, instructions: "x", tools: [gated, turn], hooks });
  const pawl = runtime({ agents: [coach], store, onError: () => undefined });
  const say = async (sessionId?: string) =>
    await pawl.run(coach, { userId: "ada", input: "Hi", ...(sessionId && { sessionId }) }).result;
  const { sessionId, pending } = await say();
  const answer = async (asked: typeof pending, approved: boolean) =>
    await pawl.run(coach, {
      userId: "ada",
      sessionId,
      answers: asked.map(({ callId }) => ({ callId, value: { approved } })),
    }).result;
  await answer(pending, true);
  const { pending: second } = await say(sessionId);
  await answer(second, false);
  expect((await say(sessionId)).stop.type).toBe("error");
  const log = await Array.fromAsync(store.read(sessionId));
  return { served: { runtime: pawl }, sessionId, log };
}

it("B7 W2 one read gives a session as it is, and as it was before its last run", async () => {
  const { served, sessionId, log } = await threeRuns();
  const starts = log.flatMap(({ type, seq }) => (type === "run_started" ? [seq] : []));
  expect(starts).toHaveLength(3);
  // As if the log ended after the first run, the second one, and now.
  for (const upto of [starts[1] ?? 0, starts[2] ?? 0, Number.POSITIVE_INFINITY]) {
    const shorter = {
      runtime: {
        ...served.runtime,
        store: {
          ...served.runtime.store,
          read: async function* (...given: Parameters<typeof served.runtime.store.read>) {
            for await (const event of served.runtime.store.read(...given)) if (event.seq < upto) yield event;
          },
        },
      },
    };
    const { now, last } = await wholeSession(shorter, sessionId);
    expect(now).toEqual(await sessionUpTo(shorter, sessionId, Number.POSITIVE_INFINITY));
    const afterSeq = last?.start.afterSeq ?? -1;
    expect(afterSeq).toBe((starts.findLast((seq) => seq < upto) ?? 0) - 1);
    expect(last?.before).toEqual(
      afterSeq === 0 ? emptySession() : await sessionUpTo(served, sessionId, afterSeq),
    );
  }
  const { now, last } = await wholeSession(served, sessionId);
  expect([last?.before.mode, now.mode]).toEqual(["wild", "wild"]);
  expect([last?.before.facts.failed.size, now.facts.failed.size]).toEqual([0, 1]);
  const parts = last?.before.view.messages.flatMap((message) => message.parts) ?? [];
  const questions = parts.flatMap((part) => (part.type === "tool" ? (part.questions ?? []) : []));
  expect(questions.map(({ value }) => value)).toEqual([{ approved: true }, { approved: false }]);
});

it("B7 W2 a session that has grown is read on from where it was", async () => {
  const { served, sessionId, log } = await threeRuns();
  for (const { seq } of log) {
    const then = await sessionUpTo(served, sessionId, seq);
    expect(then.view.cursor).toBe(seq);
    const { closed: _, ...on } = await sessionUpTo(served, sessionId, Number.POSITIVE_INFINITY, then);
    expect(on).toEqual((await wholeSession(served, sessionId)).now);
  }
});
