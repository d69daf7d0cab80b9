import { describe, expect, it } from "vitest";
import * as z from "zod";
import { approval, type Hook, type Json, type SessionEvent, type Tool, tool } from "../../src/index.ts";
import { newView, reduceView, type ViewPart, type ViewQuestion, type ViewState } from "../../src/view.ts";
import { named } from "../support/hooks.ts";
import { setup, user } from "../support/setup.ts";
import { calling } from "../support/tools.ts";

const input = z.object({ text: z.string() });
const plain = { name: "echo", description: "Echoes.", input };
const answerOf = z.object({ yes: z.boolean() });
const script = [{ tools: [calling("echo")] }, { text: "Ok." }];

const questionsIn = ({ messages }: ViewState): readonly ViewQuestion[] =>
  messages.flatMap(({ parts }: { parts: ViewPart[] }) =>
    parts.flatMap((part) => (part.type === "tool" ? (part.questions ?? []) : [])),
  );

/** A session that has asked, with its view by each way in which clients get one. */
async function asked(made: Tool, hooks: Hook[] = []) {
  const world = setup(script, { tools: [made], hooks });
  const { sessionId } = await world.say("Go");
  const answer = async (value: Json) => {
    const [{ callId = "" } = {}] = (await world.pawl.view(sessionId, user))?.pending ?? [];
    return await world.answer(sessionId, callId, value);
  };
  const log = async () => (await world.log(sessionId)) as SessionEvent[];
  const view = async () => {
    const whole = (await log()).reduce(reduceView, newView());
    expect(questionsIn(await world.pawl.view(sessionId, user))).toEqual(questionsIn(whole));
    return questionsIn(whole);
  };
  return { world, sessionId, view, answer };
}

describe("P4 W1 the view says of each question what became of it", () => {
  it("open, and then answered with the value", async () => {
    const suspends = { answer: answerOf, payload: () => ({}) };
    const { view, answer } = await asked(tool({ ...plain, suspends }));
    const [open] = await view();
    expect(open).toEqual({ seq: expect.any(Number), kind: "echo", state: "open" });
    await answer({ yes: true });
    expect(await view()).toEqual([
      { ...open, state: "answered", resultSeq: expect.any(Number), value: { yes: true } },
    ]);
  });

  it("closed by a message, with the reason and without a value", async () => {
    const suspends = { answer: answerOf, payload: () => ({}) };
    const { world, sessionId, view } = await asked(tool({ ...plain, suspends }));
    await world.say("No, wait", { sessionId });
    const [closed] = await view();
    expect(closed).toMatchObject({ state: "closed", reason: expect.stringContaining("a new message") });
    expect(closed).not.toHaveProperty("value");
  });

  it("each question of a call, apart: the approval stays approved when a later question has its answer", async () => {
    const asking = tool({
      ...plain,
      execute: (_, { ask, answered }) =>
        JSON.stringify(answered?.value ?? ask({ kind: "which", payload: {}, answer: answerOf })),
    });
    const { view, answer } = await asked(asking, [approval({ when: ["echo"] })]);
    await answer({ approved: true });
    expect((await view()).map(({ kind, state }) => [kind, state])).toEqual([
      ["approval", "answered"],
      ["which", "open"],
    ]);
    await answer({ yes: false });
    expect((await view()).map(({ kind, state, value }) => [kind, state, value])).toEqual([
      ["approval", "answered", { approved: true }],
      ["which", "answered", { yes: false }],
    ]);
  });

  it("a hook's question about the run", async () => {
    const asks = named("asks", {
      beforeRun: () => ({ ask: { kind: "go_on", payload: {}, answer: answerOf } }),
    });
    const { view } = await asked(tool({ ...plain, execute: () => "" }), [asks]);
    expect(await view()).toMatchObject([{ kind: "go_on", state: "open" }]);
  });

  it("C8 a redacted answer loses its value, in every view", async () => {
    const suspends = { answer: answerOf, payload: () => ({}) };
    const { world, sessionId, view, answer } = await asked(tool({ ...plain, suspends }));
    await answer({ yes: true });
    const [result] = await world.of(sessionId, "tool_result");
    await world.pawl.redact(sessionId, result?.seq ?? 0, user);
    expect(await view()).toMatchObject([{ state: "answered", value: "[redacted]" }]);
  });
});
