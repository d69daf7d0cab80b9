import { describe, expect, it } from "vitest";
import * as z from "zod";
import { approval, type Hook, type Json, type SessionEvent, type Tool, tool } from "../../src/index.ts";
import { newView, reduceView, type ViewPart, type ViewQuestion, type ViewState } from "../../src/view.ts";
import { named } from "../support/hooks.ts";
import { type Setup, setup, until, user } from "../support/setup.ts";
import { calling, nothing } from "../support/tools.ts";
import { boot } from "../support/waits.ts";
import { begin, gate, ok } from "../support/when-busy.ts";

const input = z.object({ text: z.string() });
const plain = { name: "echo", description: "Echoes.", input };
const answerOf = z.object({ yes: z.boolean() });
const suspends = { answer: answerOf, payload: () => ({ q: "Sure?" }) };
const script = [{ tools: [calling("echo")] }, { text: "Ok." }];

const questionsIn = ({ messages }: ViewState): readonly ViewQuestion[] =>
  messages.flatMap(({ parts }: { parts: ViewPart[] }) =>
    parts.flatMap((part) => (part.type === "tool" ? (part.questions ?? []) : [])),
  );

const questionsOf = async (world: Setup, sessionId: string) =>
  questionsIn(await world.pawl.view(sessionId, user));

const ended = async (world: Setup, sessionId: string) =>
  await until(async () => (await world.of(sessionId, "run_ended")).length > 0);

type Settled = Required<Pick<ViewQuestion, "state" | "by">>;
type Settling = (one: Awaited<ReturnType<typeof asked>>) => Promise<void>;

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
    expect(await questionsOf(world, sessionId)).toEqual(questionsIn(whole));
    return questionsIn(whole);
  };
  return { world, sessionId, view, answer, log };
}

describe("P4 W1 the view says of each question what became of it", () => {
  it("open with what was asked, and then answered by the user with the value", async () => {
    const { view, answer } = await asked(tool({ ...plain, suspends }));
    const [open] = await view();
    expect(open).toEqual({ seq: expect.any(Number), kind: "echo", payload: { q: "Sure?" }, state: "open" });
    await answer({ yes: true });
    expect(await view()).toEqual([
      { ...open, state: "answered", by: "user", resultSeq: expect.any(Number), value: { yes: true } },
    ]);
  });

  it("answered by the user with an error, if the client could not run its tool", async () => {
    const { world, sessionId, view } = await asked(tool({ ...plain, runsIn: "client" }));
    const [{ callId = "" } = {}] = (await world.pawl.view(sessionId, user)).pending;
    await world.pawl.run("tester", { ...user, sessionId, answers: [{ callId, error: "No camera." }] }).result;
    expect(await view()).toMatchObject([{ state: "answered", by: "user", reason: "No camera." }]);
  });

  it("expired by the time, with the default", async () => {
    const expires = { afterMs: 60_000, default: { yes: false } };
    const world = boot([
      tool({ ...plain, name: "clean", input: nothing, suspends: { ...suspends, expires } }),
    ]);
    const { sessionId } = await world.say("Go");
    await world.clock.advance(60_001);
    await ended(world, sessionId);
    expect(await questionsOf(world, sessionId)).toMatchObject([
      { state: "expired", by: "time", value: { yes: false } },
    ]);
  });

  it.each<[string, Settled["state"], Settled["by"], string, Settling]>([
    [
      "closed by a message that ends the run while it waits",
      "closed",
      "message",
      "the user wrote a new message instead of answering.",
      async ({ world, sessionId }) => void (await world.say("No, wait", { sessionId })),
    ],
    [
      "stopped while the run waits",
      "stopped",
      "stop",
      "the run was stopped.",
      async ({ world, sessionId }) => {
        await world.pawl.stop(sessionId, user);
        await ended(world, sessionId);
      },
    ],
    [
      "closed by the end of the session",
      "closed",
      "end",
      "the run ended before it was answered.",
      async ({ world, sessionId }) => {
        const session = { status: "expired" } as const;
        await world.store.append(sessionId, [{ type: "app.over", data: {} }], { appendId: "over", session });
        await world.pawl.sweep();
        await ended(world, sessionId);
      },
    ],
  ])("%s, with the reason and without a value", async (_title, state, by, reason, settle) => {
    const one = await asked(tool({ ...plain, suspends }));
    await settle(one);
    const [{ seq = 0, ...question } = {}] = await one.view();
    expect(question).toEqual({
      kind: "echo",
      payload: { q: "Sure?" },
      ...{ state, by, reason, resultSeq: expect.any(Number) },
    });
  });

  it.each(["interrupt", "queue"] as const)(
    "closed by a message that arrives while another call runs: %s",
    async (whenBusy) => {
      const { work, open } = gate(false);
      const tools = [work, tool({ ...plain, suspends })];
      const world = setup([{ tools: [{ name: "work" }, calling("echo")] }, ok, ok], { whenBusy, tools });
      const { sessionId, say } = await begin(world, "tool_suspended");
      const second = say("Second");
      await second.started;
      open();
      await second.result;
      expect(await questionsOf(world, sessionId)).toMatchObject([{ state: "closed", by: "message" }]);
    },
  );

  it("closed without `by`, if an earlier version of Pawl has closed it", async () => {
    const { world, sessionId, log } = await asked(tool({ ...plain, suspends }));
    await world.pawl.stop(sessionId, user);
    await ended(world, sessionId);
    const earlier = (await log()).map((event) =>
      event.type === "tool_answered" ? { ...event, data: { ...event.data, closed_by: undefined } } : event,
    );
    const [question] = questionsIn((earlier as SessionEvent[]).reduce(reduceView, newView()));
    expect(question).toMatchObject({ state: "closed", reason: "the run was stopped." });
    expect(question).not.toHaveProperty("by");
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
    const { world, sessionId, view } = await asked(tool({ ...plain, execute: () => "" }), [asks]);
    expect(await view()).toMatchObject([{ kind: "go_on", payload: {}, state: "open" }]);
    await world.pawl.stop(sessionId, user);
    await ended(world, sessionId);
    expect(await view()).toMatchObject([{ kind: "go_on", state: "stopped", by: "stop" }]);
  });

  it("C8 a redacted answer loses its value, in every view", async () => {
    const { world, sessionId, view, answer } = await asked(tool({ ...plain, suspends }));
    await answer({ yes: true });
    const [result] = await world.of(sessionId, "tool_result");
    await world.pawl.redact(sessionId, result?.seq ?? 0, user);
    expect(await view()).toMatchObject([
      { state: "answered", by: "user", value: "[redacted]", payload: { q: "Sure?" } },
    ]);
  });

  it("C8 a redacted call loses what its questions have asked, in every view", async () => {
    const { world, sessionId, view, answer } = await asked(tool({ ...plain, suspends }));
    await answer({ yes: true });
    const [said] = await world.of(sessionId, "assistant_message");
    await world.pawl.redact(sessionId, said?.seq ?? 0, user);
    expect(await view()).toMatchObject([{ payload: "[redacted]" }]);
  });

  it("C8 a redacted question of a hook loses what it has asked, in every view", async () => {
    const asks = named("asks", {
      beforeRun: ({ answer }) =>
        answer === undefined
          ? { ask: { kind: "go_on", payload: { q: "Really?" }, answer: answerOf } }
          : undefined,
    });
    const { world, sessionId, view, answer } = await asked(tool({ ...plain, execute: () => "" }), [asks]);
    await answer({ yes: true });
    const [question] = await world.of(sessionId, "tool_suspended");
    await world.pawl.redact(sessionId, question?.seq ?? 0, user);
    expect(await view()).toMatchObject([{ payload: "[redacted]", value: "[redacted]" }]);
  });
});
