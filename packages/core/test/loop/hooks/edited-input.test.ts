import { beforeEach, describe, expect, it } from "vitest";
import * as z from "zod";
import { loadState } from "../../../src/fold/load.ts";
import { type Hook, type Json, memoryStore, readShown, type ToolChange, tool } from "../../../src/index.ts";
import { timelineOf } from "../../../src/inspect.ts";
import { allowFailedHooks, named, sound } from "../../support/hooks.ts";
import { never, type Setup, setup, stored, user } from "../../support/setup.ts";

beforeEach(allowFailedHooks);

const amount = z.object({ euros: z.number(), to: z.string().default("Ada") });

function payTool() {
  const paid: unknown[] = [];
  const pay = tool({
    name: "pay",
    description: "Pays.",
    input: amount,
    execute: (input) => {
      paid.push(input);
      return "Paid.";
    },
  });
  return { pay, paid };
}

const script = [
  { tools: [{ name: "pay", id: "toolu_p", input: { euros: 500 } }] },
  { text: "Done." },
  { text: "Fine." },
];

const changing = (change: (input: object) => ToolChange | undefined, name = "edit"): Hook =>
  named(name, { beforeTool: ({ input }) => change(input as object) });

/** Lets the user change the input. */
const review = (answer: z.ZodType = amount): Hook =>
  named("review", {
    beforeTool: ({ arguments: planned, answer: given }) =>
      given === undefined
        ? { ask: { kind: "review", payload: planned, answer } }
        : { input: given as { [field: string]: Json } },
  });

/** What pages get of the call. */
async function partOf(world: Setup, sessionId: string) {
  const { messages } = await world.pawl.view(sessionId, user);
  const part = messages.flatMap(({ parts }) => parts).find(({ type }) => type === "tool");
  if (part?.type !== "tool") throw new Error("There is no call.");
  return part;
}

/** All that the model reads in its last request. */
const readBy = ({ model }: Setup): string => JSON.stringify(model.requests.at(-1)?.messages);

async function run(hooks: Hook[]) {
  const { pay, paid } = payTool();
  const world = setup(script, { tools: [pay], hooks });
  const result = await world.say("Pay the bill");
  return { world, paid, ...result };
}

describe("an input that a hook has changed", () => {
  it("H3 is told to the model, to `actions` and to pages if the user has changed it in an answer", async () => {
    const { world, paid, sessionId } = await run([review()]);
    const { actions } = await world.answer(sessionId, "toolu_p", { euros: 50 });
    expect(paid).toEqual([{ euros: 50, to: "Ada" }]);
    expect(actions).toEqual([
      { tool: "pay", args: { euros: 500 }, input: { euros: 50 }, result: "Paid.", success: true },
    ]);
    expect(await partOf(world, sessionId)).toMatchObject({ arguments: { euros: 500 }, input: { euros: 50 } });
    const [first, second] = world.model.requests;
    const said = second?.messages.at(-1)?.content as { type: string; text?: string }[];
    expect(said.map(({ type }) => type)).toEqual(["tool_result", "text"]);
    expect(said[1]?.text).toContain(
      'made with another input than you wrote: {"euros":50} instead of {"euros":500}',
    );
    // The prefix stays: the call is still what the model has written.
    expect(JSON.stringify(second?.messages[1])).toContain('"input":{"euros":500}');
    expect(second?.messages[0]?.content).toMatchObject(first?.messages[0]?.content as object);
    await sound(world, sessionId);
  });

  it("H3 is told to the model and not to pages if the hook itself has changed it", async () => {
    const { world, sessionId, actions } = await run([
      changing((input) => ({ input: { ...input, to: "tenant-7" } })),
    ]);
    expect(actions).toMatchObject([{ args: { euros: 500 }, input: { euros: 500, to: "tenant-7" } }]);
    expect(readBy(world)).toContain("tenant-7");
    // Fields that are as the model wrote them are not repeated.
    expect(readBy(world)).toContain('{\\"to\\":\\"tenant-7\\"} instead of {}');
    expect(await partOf(world, sessionId)).not.toHaveProperty("input");
  });

  it("H3 is not the user's if a value of it is not in the answer", async () => {
    const both = named("review", {
      beforeTool: ({ answer }) =>
        answer === undefined
          ? { ask: { kind: "review", payload: {}, answer: z.object({ sum: z.number() }) } }
          : { input: { euros: (answer as { sum: number }).sum, to: "tenant-7" } },
    });
    const { world, sessionId } = await run([both]);
    await world.answer(sessionId, "toolu_p", { sum: 50 });
    expect(await partOf(world, sessionId)).not.toHaveProperty("input");
  });

  it("H3 `shown: true` shows it to pages, `shown: false` hides it from the model too", async () => {
    const open = await run([changing((input) => ({ input: { ...input, to: "Bob" }, shown: true }))]);
    expect(await partOf(open.world, open.sessionId)).toMatchObject({ input: { euros: 500, to: "Bob" } });
    const hidden = await run([changing((input) => ({ input: { ...input, to: "key-7" }, shown: false }))]);
    expect(hidden.paid).toEqual([{ euros: 500, to: "key-7" }]);
    expect(readBy(hidden.world)).not.toContain("key-7");
    expect(JSON.stringify(hidden.actions)).not.toContain("key-7");
    expect(await partOf(hidden.world, hidden.sessionId)).not.toHaveProperty("input");
    const [call] = timelineOf(await hidden.world.log(hidden.sessionId)).flatMap(({ turns }) =>
      turns.flatMap(({ calls }) => calls),
    );
    expect(call).not.toHaveProperty("input");
  });

  it("H3 of a hidden change that the schema refuses, only the application learns the problems", async () => {
    const quotes = z.object({ to: z.string().max(5, { error: ({ input }) => `too long: ${input}` }) });
    const pay = tool({ name: "pay", description: "Pays.", input: quotes, execute: () => "Paid." });
    const calls = [{ tools: [{ name: "pay", input: { to: "Ada" } }] }, { text: "Done." }];
    const reported: unknown[] = [];
    const hooks = [changing(() => ({ input: { to: "key-7-7" }, shown: false }))];
    const onError = (error: unknown) => reported.push(error);
    const world = setup(calls, { tools: [pay], hooks }, { onError });
    const { sessionId } = await world.say("Pay");
    const seen = [readBy(world), JSON.stringify(await world.log(sessionId))];
    expect(seen.map((text) => [text.includes("does not match"), text.includes("key-7")])).toEqual([
      [true, false],
      [true, false],
    ]);
    expect(String(reported)).toContain("too long: key-7-7");
  });

  it.each([
    [true, false],
    [false, true],
    [undefined, false],
    [false, undefined],
  ])("H3 is for whom the strictest hook says: %s, then %s", async (first, second) => {
    const with_ = (to: string, shown: boolean | undefined) =>
      changing((input) => ({ input: { ...input, to }, ...(shown !== undefined && { shown }) }), to);
    const { world, actions } = await run([with_("one", first), with_("two", second)]);
    expect(actions[0]).not.toHaveProperty("input");
    expect(readBy(world)).not.toContain("two");
  });

  it("H3 stays hidden if another hook asks before the call runs", async () => {
    const { world, sessionId } = await run([
      changing((input) => ({ input: { ...input, to: "key-7" }, shown: false })),
      named("ask", {
        beforeTool: ({ answer }) =>
          answer === undefined ? { ask: { kind: "ok", payload: "OK?", answer: z.boolean() } } : undefined,
      }),
    ]);
    await world.answer(sessionId, "toolu_p", true);
    expect(readBy(world)).not.toContain("key-7");
    expect(await partOf(world, sessionId)).not.toHaveProperty("input");
  });

  it("H3 is no change if the schema has added it, or the hook has returned it as it was", async () => {
    for (const same of [{ euros: 500 }, { euros: 500, to: "Ada" }]) {
      const { world, actions, paid } = await run([changing(() => ({ input: same }))]);
      expect(paid).toEqual([{ euros: 500, to: "Ada" }]);
      expect(actions[0]).not.toHaveProperty("input");
      expect(readBy(world)).not.toContain("another input");
    }
  });

  it("H3 counts as a failed hook if `shown` is not a boolean: the call does not run", async () => {
    const { paid, actions } = await run([changing(() => ({ input: { euros: 1 }, shown: "no" as never }))]);
    expect([paid, actions[0]?.success]).toEqual([[], false]);
  });

  it("H3 is told of a page's tool and of a tool whose result is the answer", async () => {
    for (const options of [
      { runsIn: "client" as const, output: z.string() },
      { suspends: { answer: z.string() } },
    ]) {
      const pay = tool({ name: "pay", description: "Pays.", input: amount, ...(options as object) } as never);
      const edit = changing((input) => ({ input: { ...input, euros: 50 }, shown: true }));
      const world = setup(script, { tools: [pay], hooks: [edit] });
      const { sessionId } = await world.say("Pay");
      const { actions } = await world.answer(sessionId, "toolu_p", "Paid.");
      expect(actions[0]).toMatchObject({ input: { euros: 50, to: "Ada" }, result: "Paid." });
      expect(readBy(world)).toContain('{\\"euros\\":50} instead of {\\"euros\\":500}');
    }
  });

  it("H3 E11 is removed with the answer that made it, wherever it was told", async () => {
    const { world, sessionId } = await run([review(z.object({ euros: z.number(), to: z.string() }))]);
    await world.answer(sessionId, "toolu_p", { euros: 50, to: "secret-7" });
    expect(await partOf(world, sessionId)).toMatchObject({ input: { to: "secret-7" } });
    const [result] = await world.of(sessionId, "tool_result");
    const open = world.pawl.follow(sessionId);
    await world.pawl.redact(sessionId, result?.seq ?? 0, user);
    expect((await partOf(world, sessionId)).input).toEqual({});
    const { entries, unsent, calls } = await loadState(world.store, sessionId);
    const shown = await Array.fromAsync(readShown(world.store, sessionId));
    const followed: unknown[] = [];
    for await (const event of open) {
      followed.push(event);
      if ("seq" in event && event.seq === shown.length) break;
    }
    const all = JSON.stringify([entries, unsent, [...calls.values()], shown, followed]);
    expect(all).not.toContain("secret-7");
    await sound(world, sessionId);
    expect(readBy(world)).not.toContain("secret-7");
  });

  it("H3 is told once, also if another process runs the call again", async () => {
    let clock = 0;
    const store = memoryStore({ now: () => clock });
    const world = (replies: typeof script, execute: () => unknown) => {
      const options = { description: "Pays.", input: amount, idempotent: true, execute } as never;
      const pay = tool({ name: "pay", ...(options as object) } as never);
      return setup(replies, { tools: [pay], hooks: [changing(() => ({ input: { euros: 50 } }))] }, { store });
    };
    const old = world(script, never);
    const { sessionId, runId } = await old.pawl.run("tester", { ...user, input: "Pay" }).started;
    await stored(old, sessionId, "tool_started");
    clock += 60_000;
    const next = world(script.slice(1), () => "Paid.");
    await next.pawl.sweep();
    for await (const _ of next.pawl.follow(sessionId, { untilIdle: { runId } }));
    expect((await next.of(sessionId, "tool_started")).length).toBe(2);
    expect((await next.of(sessionId, "note")).map(({ data }) => data.call_id)).toEqual(["toolu_p"]);
  });

  it("H3 is told to nobody if an earlier version has stored it", async () => {
    const { world, sessionId } = await run([changing((input) => ({ input: { ...input, to: "old" } }))]);
    const log = await world.log(sessionId);
    const events = log
      .filter(({ type, data }) => type !== "note" || !("call_id" in (data as object)))
      .map(({ type, data, key }) => {
        const { input_for: _, ...earlier } = data as { input_for?: string };
        return { type, data: earlier, ...(key && { key }) };
      });
    const other = setup(script);
    await other.store.sessions.create({ id: "old", userId: "u1", agent: "tester" });
    await other.store.append("old", events as never, { appendId: "old" });
    expect(await partOf(other, "old")).not.toHaveProperty("input");
    const call = (await loadState(other.store, "old")).run?.calls[0];
    expect(call?.started).toMatchObject({ input: { to: "old" } });
    expect(call?.started).not.toHaveProperty("inputFor");
  });
});
