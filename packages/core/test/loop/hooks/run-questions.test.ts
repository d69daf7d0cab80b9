import { describe, expect, it } from "vitest";
import {
  agentTool,
  answering,
  type Hook,
  jsonSchema,
  memoryStore,
  type RunContext,
  toJsonSchema,
  tool,
} from "../../../src/index.ts";
import { newView, reduceView } from "../../../src/view.ts";
import { named, sound } from "../../support/hooks.ts";
import { type Setup, setup, stored, until, user } from "../../support/setup.ts";
import { dyingStore, has } from "../../support/stores.ts";
import { calling, echo } from "../../support/tools.ts";

const answer = jsonSchema<{ depth: string }>({
  type: "object",
  properties: { depth: { enum: ["quick", "deep"] } },
  required: ["depth"],
});

/** Accepts every answer, also `null`. */
const anything = jsonSchema<unknown>({});

const ask = { kind: "choice", payload: { question: "How deep?" }, answer };

/** Asks before the run, and uses the answer as a text that the model reads. */
function clarify(given: unknown[] = []): Hook {
  return named("clarify", {
    beforeRun: async (context: RunContext) => {
      given.push(context.answer);
      if (context.answer === undefined) return { ask };
      const { depth } = context.answer as { depth: string };
      await context.append({
        type: "note",
        data: { text: `Depth: ${depth}.` },
        key: `depth:${context.runId}`,
      });
      return undefined;
    },
  });
}

describe("F20 a hook's question before the run", () => {
  it("waits before the first model call, and is a question like any other", async () => {
    const world = setup([{ text: "Done." }], { hooks: [clarify()] });
    const { stop, pending, sessionId, runId } = await world.say("Go");
    expect(stop.type).toBe("suspended");
    expect(world.model.requests).toEqual([]);
    expect(pending).toEqual([
      {
        callId: `ask_1_${runId}`,
        toolName: "clarify",
        kind: "choice",
        payload: { question: "How deep?" },
        answerSchema: toJsonSchema(answer, "answers"),
        seq: expect.any(Number),
      },
    ]);
    expect((await world.store.sessions.get(sessionId))?.status).toBe("suspended");
    const { pending: shown, messages } = await world.pawl.view(sessionId, user);
    expect(shown).toEqual(pending);
    expect(messages.at(-1)?.parts).toMatchObject([{ type: "tool", toolName: "clarify", phase: "waiting" }]);
  });

  it("gives the hook its answer, and the run goes on", async () => {
    const given: unknown[] = [];
    const world = setup([{ text: "Done." }, { text: "Ok." }], { hooks: [clarify(given)] });
    const { sessionId, pending } = await world.say("Go");
    const { text, stop } = await world.answer(sessionId, pending[0]?.callId ?? "", { depth: "deep" });
    expect({ text, stop: stop.type, given }).toEqual({
      text: "Done.",
      stop: "end_turn",
      given: [undefined, { depth: "deep" }],
    });
    expect(JSON.stringify(world.model.requests[0])).toContain("Depth: deep.");
    const { messages } = await world.pawl.view(sessionId, user);
    expect(messages.at(-1)?.parts[0]).toMatchObject({ phase: "done", result: { depth: "deep" } });
  });

  it("refuses an answer that does not match its schema, and a second answer", async () => {
    const world = setup([{ text: "Done." }], { hooks: [clarify()] });
    const { sessionId, pending } = await world.say("Go");
    const { callId = "" } = pending[0] ?? {};
    await expect(world.answer(sessionId, callId, { depth: "very" })).rejects.toMatchObject({
      code: "invalid_answer",
    });
    await world.answer(sessionId, callId, { depth: "deep" });
    await expect(world.answer(sessionId, callId, { depth: "quick" })).rejects.toMatchObject({
      code: "already_answered",
    });
  });

  it("is closed by a new message, for which the hook asks again", async () => {
    const world = setup([{ text: "Done." }, { text: "Ok." }], { hooks: [clarify()] });
    const first = await world.say("Go");
    const second = await world.say("Something else", { sessionId: first.sessionId });
    expect(second.pending.map(({ callId }) => callId)).toEqual([`ask_1_${second.runId}`]);
    const { callId = "" } = first.pending[0] ?? {};
    await expect(world.answer(first.sessionId, callId, { depth: "deep" })).rejects.toMatchObject({
      code: "already_answered",
    });
    const answered = await world.of(first.sessionId, "tool_answered");
    expect(answered.map(({ data }) => data.closed !== undefined)).toEqual([true]);
    expect((await world.pawl.view(first.sessionId, user)).pending).toHaveLength(1);
  });

  it("is asked once although the process dies when the question or its answer is stored", async () => {
    let clock = 0;
    const store = memoryStore({ now: () => clock });
    for (const type of ["tool_suspended", "run_suspended"]) {
      const dying = dyingStore(store, (events) => has(events, type));
      const old = setup([], { hooks: [clarify()] }, { store: dying });
      const { sessionId } = await old.pawl.run("tester", { ...user, input: "Go" }).started;
      await stored({ log: old.log }, sessionId, type);
      clock += 60_000;
      const next = setup([{ text: "Done." }, { text: "Ok." }], { hooks: [clarify()] }, { store });
      await next.pawl.sweep();
      const pending = async () => (await next.pawl.view(sessionId, user)).pending;
      await expect.poll(pending).toHaveLength(1);
      expect(await next.of(sessionId, "tool_suspended")).toHaveLength(1);
      const { text } = await next.answer(sessionId, (await pending())[0]?.callId ?? "", { depth: "deep" });
      expect(text).toBe("Done.");
      await next.pawl.drain();
    }
  });

  it("ends the run if the hook is gone when the answer comes: the answer may have been a no", async () => {
    const store = memoryStore();
    const old = setup([], { hooks: [clarify()] }, { store });
    const { sessionId, pending } = await old.say("Go");
    const next = setup([{ text: "Unasked." }, { text: "Ok." }], {}, { store, onError: () => undefined });
    const { stop } = await next.answer(sessionId, pending[0]?.callId ?? "", { depth: "deep" });
    expect(stop).toMatchObject({ type: "error", cause: expect.stringContaining('The hook "clarify"') });
    expect(next.model.requests).toEqual([]);
    await sound(next, sessionId);
  });

  it("counts a hook's invalid question as a failure of the hook", async () => {
    const hooks = [named("odd", { beforeRun: () => ({ ask: { kind: "x" } }) as never })];
    const world = setup([{ text: "Unasked." }], { hooks }, { onError: () => undefined });
    const { stop } = await world.say("Go");
    expect(stop).toMatchObject({ type: "error", cause: expect.stringContaining("`ask` needs a `kind`") });
  });
});

describe("F20 a hook's question before a turn", () => {
  const { tool } = echo("one");
  const twice = [{ tools: [calling("one")] }, { text: "Done." }, { text: "Ok." }];
  const gate = (calls: string[] = []): Hook =>
    named("gate", {
      beforeTurn: (_plan, { run, answer }) => {
        calls.push(`${run.turns}:${JSON.stringify(answer)}`);
        return run.turns === 1 && answer === undefined ? { ask } : undefined;
      },
    });

  it("waits between two turns, and continues with the answer", async () => {
    const calls: string[] = [];
    const world = setup(twice, { tools: [tool], hooks: [gate(calls)] });
    const { sessionId, pending } = await world.say("Go");
    expect(world.model.requests).toHaveLength(1);
    const { text } = await world.answer(sessionId, pending[0]?.callId ?? "", { depth: "quick" });
    expect({ text, calls }).toEqual({
      text: "Done.",
      calls: ["0:undefined", "1:undefined", '1:{"depth":"quick"}'],
    });
    await sound(world, sessionId);
  });

  it("calls no `beforeRun` and no `afterTurn` again for the answer", async () => {
    const calls: string[] = [];
    const noted = named("noted", {
      beforeRun: () => void calls.push("beforeRun"),
      afterTurn: (turn) => void calls.push(`afterTurn ${turn.calls.length}`),
    });
    const world = setup(twice, { tools: [tool], hooks: [noted, gate()] });
    const { sessionId, pending } = await world.say("Go");
    await world.answer(sessionId, pending[0]?.callId ?? "", { depth: "quick" });
    expect(calls).toEqual(["beforeRun", "afterTurn 1", "afterTurn 0"]);
  });

  it("keeps the plan of the hooks before it", async () => {
    const short = named("short", { beforeTurn: () => ({ model: answering("Short.") }) });
    const world = setup(twice, {
      tools: [tool],
      hooks: [
        short,
        named("gate", {
          beforeTurn: (_plan, context) => (context.answer === undefined ? { ask } : undefined),
        }),
      ],
    });
    const { sessionId, pending } = await world.say("Go");
    const { text } = await world.answer(sessionId, pending[0]?.callId ?? "", { depth: "quick" });
    expect(text).toBe("Short.");
  });

  it("lets two hooks ask one after the other, each with its own answer", async () => {
    const both = ["a", "b"].map((name) =>
      named(name, {
        beforeTurn: async (_plan, context) => {
          if (context.answer === undefined) return { ask };
          const { depth } = context.answer as { depth: string };
          await context.append({
            type: "note",
            data: { text: `${name}=${depth}` },
            key: `n:${name}:${context.runId}`,
          });
          return undefined;
        },
      }),
    );
    const world = setup([{ text: "Done." }], { hooks: both });
    const { sessionId, pending } = await world.say("Go");
    const then = await world.answer(sessionId, pending[0]?.callId ?? "", { depth: "quick" });
    expect(then.pending.map(({ toolName }) => toolName)).toEqual(["b"]);
    const { text } = await world.answer(sessionId, then.pending[0]?.callId ?? "", { depth: "deep" });
    expect(text).toBe("Done.");
    const sent = JSON.stringify(world.model.requests[0]);
    expect([sent.includes("a=quick"), sent.includes("b=deep")]).toEqual([true, true]);
  });

  it("gives an answer to the hook's own last question only, and not to a later turn's", async () => {
    const given: unknown[] = [];
    const insists = named("insists", {
      beforeTurn: (_plan, { answer, run }) => {
        given.push([run.turns, (answer as { depth: string } | undefined)?.depth]);
        return (answer as { depth: string } | undefined)?.depth === "deep" ? undefined : { ask };
      },
    });
    const world = setup(twice, { tools: [tool], hooks: [insists] });
    const { sessionId, runId } = await world.say("Go");
    for (const [n, depth] of ["quick", "deep", "quick", "deep"].entries())
      await world.answer(sessionId, `ask_${n + 1}_${runId}`, { depth });
    expect(given).toEqual([
      [0, undefined],
      [0, "quick"],
      [0, "deep"],
      [1, undefined],
      [1, "quick"],
      [1, "deep"],
    ]);
    expect(await world.of(sessionId, "run_ended")).toMatchObject([{ data: { stop: { type: "end_turn" } } }]);
    await sound(world, sessionId);
  });

  it("F25 counts a crash before an answer and one after it separately", async () => {
    let clock = 0;
    const store = memoryStore({ now: () => clock });
    const boot = (over = store) => {
      clock += 60_000;
      return setup([{ text: "Done." }], { hooks: [clarify()] }, { store: over });
    };
    /** Has a process do this that dies at its first append of this type, or of any. */
    const dies = async (act: (pawl: Setup["pawl"]) => unknown, type?: string) => {
      const dying = dyingStore(store, (events) => type === undefined || has(events, type));
      void act(boot(dying).pawl);
      await until(() => dying.dead);
    };
    const sessionId = "s1";
    await store.sessions.create({ id: sessionId, userId: "u1", agent: "tester" });
    await dies((pawl) => pawl.run("tester", { ...user, sessionId, input: "Go" }).started, "run_started");
    for (let n = 0; n < 2; n += 1) await dies((pawl) => pawl.sweep());
    const asks = boot();
    await asks.pawl.sweep();
    await stored(asks, sessionId, "run_suspended");
    const [asked] = await asks.of(sessionId, "tool_suspended");
    const answers = [{ callId: asked?.data.call_id ?? "", value: { depth: "deep" } }];
    await dies((pawl) => pawl.run("tester", { ...user, sessionId, answers }).started, "tool_answered");
    for (let n = 0; n < 3; n += 1) await dies((pawl) => pawl.sweep());
    expect((await asks.of(sessionId, "run_recovered")).length).toBeGreaterThan(3);
    const last = boot();
    await last.pawl.sweep();
    await stored(last, sessionId, "run_ended");
    expect(await last.of(sessionId, "run_ended")).toMatchObject([{ data: { stop: { type: "end_turn" } } }]);
  });

  it("F25 counts a crash after the question of a second hook, before the run waits for its answer", async () => {
    let clock = 0;
    const store = memoryStore({ now: () => clock });
    const both = ["a", "b"].map((name) =>
      named(name, { beforeRun: ({ answer: given }) => (given === undefined ? { ask } : undefined) }),
    );
    const boot = (over = store) => setup([{ text: "Done." }], { hooks: both }, { store: over });
    const { sessionId, pending } = await boot().say("Go");
    const dying = dyingStore(store, (events) => has(events, "tool_suspended"));
    const answers = [{ callId: pending[0]?.callId ?? "", value: { depth: "deep" } }];
    void boot(dying).pawl.run("tester", { ...user, sessionId, answers }).started;
    await until(() => dying.dead);
    clock += 60_000;
    const next = boot();
    await next.pawl.sweep();
    await until(async () => (await next.of(sessionId, "run_suspended")).length === 2);
    expect(await next.of(sessionId, "run_recovered")).toHaveLength(1);
  });

  it("asks again if the database itself stored an answer that does not match", async () => {
    const world = setup([{ text: "Done." }], { hooks: [clarify()] });
    const { sessionId, pending, runId } = await world.say("Go");
    const [asked] = await world.of(sessionId, "tool_suspended");
    const data = {
      tool_name: "clarify",
      call_id: pending[0]?.callId ?? "",
      value: 5,
      before: "run" as const,
    };
    await world.store.append(
      sessionId,
      [{ type: "tool_answered", data, key: asked?.key?.replace("asked:", "answer:") ?? "" }],
      { appendId: "db", session: { addPending: -1, wakes: true } },
    );
    await world.pawl.sweep();
    await expect
      .poll(async () => (await world.pawl.view(sessionId, user)).pending.map(({ callId }) => callId))
      .toEqual([`ask_2_${runId}`]);
  });
});

it("F20 a sub-agent's hook asks through its caller", async () => {
  const inner = setup([{ text: "Found it." }], { name: "inner", hooks: [clarify()] });
  const outer = setup([{ tools: [{ name: "inner", input: { task: "Find it" } }] }, { text: "Here." }], {
    tools: [agentTool({ agent: inner.agent, description: "Finds." })],
  });
  const { sessionId, pending } = await outer.say("Go");
  expect(pending).toMatchObject([{ toolName: "inner", kind: "choice" }]);
  const { text, actions } = await outer.answer(sessionId, pending[0]?.callId ?? "", { depth: "deep" });
  expect({ text, result: actions[0]?.result }).toEqual({ text: "Here.", result: "Found it." });
});

it("F20 the view is the same from live events and from the log", async () => {
  const world = setup([{ text: "Done." }], { hooks: [clarify()] });
  const { sessionId, pending } = await world.say("Go");
  await world.answer(sessionId, pending[0]?.callId ?? "", { depth: "deep" });
  const log = await world.log(sessionId);
  const { session: _, ...view } = await world.pawl.view(sessionId, user);
  expect(log.reduce(reduceView, newView())).toEqual(view);
});

it("F20 P6 a queued message closes a question that came before it, and the next one waits", async () => {
  const held = Promise.withResolvers<void>();
  const slow = tool({
    name: "slow",
    description: "Takes its time.",
    input: jsonSchema({ type: "object" }),
    execute: async () => await held.promise,
  });
  const hooks = [
    named("gate", {
      beforeTurn: (_plan, { run, answer }) => (run.turns === 1 && !answer ? { ask } : undefined),
    }),
  ];
  const script = [{ tools: [{ name: "slow", input: {} }] }, { text: "Both." }];
  const world = setup(script, { tools: [slow], hooks, whenBusy: "queue" });
  const first = world.pawl.run("tester", { ...user, input: "Go" });
  const { sessionId } = await first.started;
  await stored(world, sessionId, "tool_started");
  await world.pawl.run("tester", { ...user, sessionId, input: "And this" }).started;
  held.resolve();
  const { stop, pending } = await first.result;
  expect({ stop: stop.type, pending: pending.length }).toEqual({ stop: "suspended", pending: 1 });
  const { text } = await world.answer(sessionId, pending[0]?.callId ?? "", { depth: "deep" });
  expect(text).toBe("Both.");
  expect(JSON.stringify(world.model.requests.at(-1))).toContain("And this");
});

it("F20 P6 a message that arrives when the question is stored closes it, which is no answer", async () => {
  const given: unknown[] = [];
  const gate = named("gate", {
    beforeTurn: (_plan, { answer }) => {
      given.push(answer);
      return answer === undefined ? { ask: { ...ask, answer: anything } } : undefined;
    },
  });
  const options = { hooks: [gate], whenBusy: "queue" } as const;
  const base = memoryStore();
  const other = setup([], options, { store: base });
  let sent = false;
  const store: typeof base = {
    ...base,
    append: async (id, events, how) => {
      const rows = await base.append(id, events, how);
      if (has(events, "tool_suspended") && !sent) {
        sent = true;
        await other.pawl.run("tester", { ...user, sessionId: id, input: "And this" }).started;
      }
      return rows;
    },
  };
  const world = setup([{ text: "Both." }], options, { store });
  const { sessionId, pending } = await world.say("Go");
  const answered = await world.of(sessionId, "tool_answered");
  expect(answered).toMatchObject([{ data: { value: null, closed: expect.any(String) } }]);
  expect(given).toEqual([undefined, undefined]);
  const { text } = await world.answer(sessionId, pending[0]?.callId ?? "", null);
  expect({ text, given }).toEqual({ text: "Both.", given: [undefined, undefined, null] });
  await sound(world, sessionId);
});
