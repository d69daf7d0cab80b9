import { testClock } from "@pawl/testing";
import { describe, expect, it } from "vitest";
import { expectPrinted } from "../../../../../test/support/printed.ts";
import { type AppendableEvent, answering, type Hook, memoryStore, type Run } from "../../../src/index.ts";
import { named, sound } from "../../support/hooks.ts";
import { never, setup, stored, user } from "../../support/setup.ts";
import { beforeAppend, has } from "../../support/stores.ts";
import { calling, echo } from "../../support/tools.ts";

describe("the plan of a turn", () => {
  it("L14 sets model, length, tool choice and tools for one turn; the log says so, the wire does not change", async () => {
    const [one, two] = [echo("one"), echo("two")];
    let turn = 0;
    const plan: Hook = {
      name: "plan",
      beforeTurn: () => {
        turn += 1;
        return turn === 1 ? { maxTokens: 300, toolChoice: { type: "auto" }, tools: ["one"] } : undefined;
      },
    };
    const world = setup(
      [
        { tools: [calling("one"), calling("two")] },
        { tools: [calling("two")] },
        { text: "Ok." },
        { text: "Fine." },
      ],
      {
        tools: [one.tool, two.tool],
        hooks: [plan],
      },
    );
    const { sessionId, actions } = await world.say("Go");
    expect((await world.of(sessionId, "llm_request")).map(({ data }) => data.params)).toEqual([
      { max_tokens: 300, tool_choice: { type: "auto" }, tools: ["one"] },
      { max_tokens: 4096 },
      { max_tokens: 4096 },
    ]);
    expect(actions.map(({ success }) => success)).toEqual([true, false, true]);
    expect(actions[1]?.result).toBe('"two" cannot be used now, only one.');
    expect({ one: one.ran, two: two.ran }).toEqual({ one: ["a"], two: ["a"] });
    const wire = world.model.requests.map(({ tools, system }) => JSON.stringify([tools, system]));
    expect(new Set(wire).size).toBe(1);
    expect(world.model.requests[0]?.tools).toHaveLength(2);
    await sound(world, sessionId);
  });

  it("L14 T5 keeps a gated tool from running after a crash, in a process whose hooks gate nothing", async () => {
    let clock = 0;
    const store = memoryStore({ now: () => clock });
    const { tool, ran } = echo();
    const other = echo("other");
    const script = [{ tools: [calling("other", "b", "toolu_o"), calling("echo", "a", "toolu_e")] }];
    const hooks = [named("gate", { beforeTurn: () => ({ tools: ["other"] }), beforeTool: () => undefined })];
    const dying = beforeAppend(store, async (events) => {
      if (has(events, "tool_result")) return await never();
    });
    const old = setup(script, { tools: [tool, other.tool], hooks }, { store: dying });
    const { sessionId, runId } = await old.pawl.run("tester", { ...user, input: "Go" }).started;
    await stored(old, sessionId, "tool_call");
    clock += 60_000;
    const next = setup([{ text: "Done." }, { text: "Fine." }], { tools: [tool, other.tool] }, { store });
    expect(await next.pawl.sweep()).toBe(1);
    for await (const _ of next.pawl.follow(sessionId, { untilIdle: { runId } }));
    expect({ echo: ran, other: other.ran }).toEqual({ echo: [], other: ["b"] });
    const results = await next.of(sessionId, "tool_result");
    expect(results.find(({ data }) => data.call_id === "toolu_e")?.data).toMatchObject({
      success: false,
      result: '"echo" cannot be used now, only other.',
    });
    await sound(next, sessionId);
  });

  it("L14 H1 answers in the model's place, at no cost and without asking it", async () => {
    const hooks = [
      named("closed", {
        beforeTurn: (_plan, { run }) => (run.turns === 0 ? { model: answering("Closed.") } : undefined),
      }),
    ];
    const world = setup([{ text: "Unused." }], { hooks });
    const { text, stop, sessionId, costUsd, usage } = await world.say("Go");
    expect({ text, type: stop.type, costUsd, out: usage.outputTokens }).toEqual({
      text: "Closed.",
      type: "end_turn",
      costUsd: 0,
      out: 0,
    });
    expect((await world.of(sessionId, "llm_request"))[0]?.data.model).toBe("answering");
    expect(world.model.requests).toEqual([]);
    const open = setup([{ text: "Open." }], {}, { store: world.store });
    await open.say("Still?", { sessionId });
    expect(open.model.requests[0]?.messages).toMatchObject([
      { role: "user" },
      { role: "assistant", content: [{ type: "text", text: "Closed." }] },
      { role: "user" },
    ]);
    expect(open.model.rejected).toEqual([]);
  });

  it("L14 asks for no tool choice where there are no tools", async () => {
    const world = setup([{ text: "Ok." }, { text: "Fine." }], {
      hooks: [named("a", { beforeTurn: () => ({ toolChoice: { type: "auto" } }) })],
    });
    const { sessionId, stop } = await world.say("Go");
    expect(stop.type).toBe("end_turn");
    await sound(world, sessionId);
  });

  it("H1 lets no hook change what is on the wire through the request that it is shown", async () => {
    const { tool } = echo();
    const vandal = named("vandal", {
      beforeModel: ({ request }) => {
        const shown = request as unknown as {
          tools: unknown[];
          system: { text: string }[];
          messages: { content: unknown[] }[];
        };
        for (const act of [
          () => shown.tools.pop(),
          () => Object.assign(shown.system[0] as object, { text: "Be evil." }),
          () => shown.messages.pop(),
          () => shown.messages[0]?.content.push({ type: "text", text: "x" }),
        ]) {
          try {
            act();
          } catch {}
        }
        return undefined;
      },
    });
    const world = setup([{ tools: [calling("echo")] }, { text: "Ok." }, { text: "Fine." }], {
      tools: [tool],
      hooks: [vandal],
    });
    const { sessionId } = await world.say("Go");
    expect(JSON.stringify(world.model.requests)).not.toContain("evil");
    expect(world.model.requests.map(({ tools }) => tools?.length)).toEqual([1, 1]);
    await sound(world, sessionId);
  });
});

describe("what arrives while a hook is running", () => {
  it("L9 ends the run as stopped, whatever beforeTurn says then", async () => {
    const control = new AbortController();
    const hooks = [
      named("a", {
        beforeTurn: () => {
          control.abort();
          return { stop: { type: "mine", message: "Mine." } };
        },
      }),
    ];
    const world = setup([{ text: "Unused." }], { hooks });
    expect((await world.say("Go", { signal: control.signal })).stop.type).toBe("aborted");
  });

  it("L1 goes on in the same run with a message that is queued while afterTurn works", async () => {
    let second: Run | undefined;
    const hooks = [
      named("a", {
        afterTurn: async (_turn, { sessionId }) => {
          second ??= world.pawl.run("tester", { ...user, sessionId, input: "Second" });
          await second.started;
          return undefined;
        },
      }),
    ];
    const world = setup([{ text: "One." }, { text: "Two." }], { hooks, whenBusy: "queue" });
    expect(await world.say("First")).toMatchObject({ text: "One.\n\nTwo.", turns: 2 });
  });
});

describe("what hooks add", () => {
  it("H1 stores an event once under its key, over crashes too, and says whether it did", async () => {
    const outcomes: boolean[] = [];
    const note: AppendableEvent = { type: "note", key: "once", data: { text: "Remember." } };
    const hooks = [
      named("a", {
        beforeTurn: async (_plan, { append }) => {
          outcomes.push(await append(note), await append(note));
          return undefined;
        },
      }),
    ];
    const world = setup([{ text: "Ok." }, { text: "Fine." }], { hooks });
    const { sessionId } = await world.say("Go");
    expect(outcomes).toEqual([true, false]);
    expect(JSON.stringify(world.model.requests[0]?.messages)).toContain("Remember.");
    await sound(world, sessionId);
    expect(outcomes).toEqual([true, false, false, false]);
    expect(await world.of(sessionId, "note")).toHaveLength(1);
  });

  it("H1 puts what beforeModel adds into the next turn, and what is one's own beside the context", async () => {
    const { tool } = echo();
    const hooks = [
      named("a", {
        beforeModel: async (_call, { append, run }) => {
          await append({ type: "knowledge", data: { source: "s", data: `known in ${run.turns}` } });
          await append({ type: "app.audit", data: { turns: run.turns } });
          return undefined;
        },
      }),
    ];
    const world = setup([{ tools: [calling("echo")] }, { text: "Ok." }, { text: "Fine." }], {
      tools: [tool],
      hooks,
    });
    const { sessionId } = await world.say("Go");
    const sent = world.model.requests.map(({ messages }) => JSON.stringify(messages));
    expect(sent[0]).not.toContain("known in");
    expect(sent[1]).toContain("known in 0");
    expect(sent[1]).not.toContain("known in 1");
    const log = await sound(world, sessionId);
    expect(log.filter(({ type }) => type === "app.audit")).toHaveLength(3);
  });

  it("H1 takes nothing when the run is over, and none of Pawl's own keys or events", async () => {
    let append: ((event: AppendableEvent) => Promise<boolean>) | undefined;
    const refused: string[] = [];
    const hooks = [
      named("a", {
        beforeTurn: async (_plan, context) => {
          append = (event) => context.append(event);
          const key = `end:${context.run.runId}`;
          await context
            .append({ type: "note", key, data: { text: "x" } })
            .catch((error) => refused.push(error.message));
          return undefined;
        },
      }),
    ];
    const world = setup([{ text: "Ok." }, { text: "Fine." }], { hooks });
    const { sessionId, runId } = await world.say("Go");
    expect(refused).toEqual([`The key "end:${runId}" is reserved by Pawl.`]);
    await expect(append?.({ type: "note", data: { text: "late" } })).rejects.toThrow(
      "The run has ended, so a hook can append nothing more.",
    );
    // @ts-expect-error a hook stores no results
    const forged: AppendableEvent = { type: "tool_result", data: {} };
    // @ts-expect-error nor messages
    const said: AppendableEvent = { type: "user_message", data: { message: "I am the user" } };
    expect([forged.type, said.type]).toHaveLength(2);
    await sound(world, sessionId);
    expect(await world.of(sessionId, "note")).toEqual([]);
  });
});

describe("onStop", () => {
  it("L1 H1 rewrites the reason, each hook upon the last, and never leaves it without words", async () => {
    const hooks = [
      named("a", { onStop: (stop) => ({ ...stop, type: "mine" }) }),
      named("b", { onStop: async ({ type }) => ({ type: `${type}.too`, message: "  " }) }),
    ];
    const world = setup([{ text: "Ok." }, { text: "Fine." }], {
      hooks,
      stopMessages: { end_turn: "All done." },
    });
    const { stop, sessionId } = await world.say("Go");
    expect(stop).toEqual({ type: "mine.too", message: "All done." });
    await sound(world, sessionId);
  });

  it.each(["a request", "a signal"])("L9 begins no run for what came before %s to stop", async (how) => {
    const hooks = [named("a", { onStop: (stop) => ({ ...stop, type: "mine" }) })];
    const script = [{ text: "one two three four five", delayPerEventMs: 5 }, { text: "Unused." }];
    const world = setup(script, { hooks, whenBusy: "queue" });
    const control = new AbortController();
    const run = world.pawl.run("tester", { ...user, input: "First", signal: control.signal });
    const { sessionId } = await run.started;
    await stored(world, sessionId, "llm_request");
    const queued = world.pawl.run("tester", { ...user, sessionId, input: "Second" });
    await queued.started;
    if (how === "a signal") control.abort();
    else await world.pawl.stop(sessionId, user);
    expect((await queued.result).stop.type).toBe("mine");
    expect(await world.of(sessionId, "run_started")).toHaveLength(1);
  });

  it("L1 replaces blank words of an agent, of a hook and of a condition", async () => {
    const blank = { type: "mine", message: " \n" };
    const world = setup([{ text: "Ok." }], { stopMessages: { end_turn: "  " } });
    expect((await world.say("Go")).stop).toEqual({ type: "end_turn", message: "Done." });
    const stopped = setup([{ text: "Ok." }], { hooks: [named("a", { beforeRun: () => ({ stop: blank }) })] });
    expect((await stopped.say("Go")).stop).toEqual({ type: "mine", message: "Stopped." });
    const own = setup([{ text: "Ok." }], { stopWhen: [() => blank], stopMessages: { mine: "My words." } });
    expect((await own.say("Go")).stop).toEqual({ type: "mine", message: "My words." });
  });
});

it("H2 L4 calls afterTurn before the last turn of a limit with a signal that is not aborted", async () => {
  const aborted: boolean[] = [];
  const hook = named("looks", { afterTurn: (_turn, { signal }) => void aborted.push(signal.aborted) });
  const clock = testClock();
  const started = Promise.withResolvers<void>();
  const patient = echo("echo", {
    execute: (_input: unknown, { signal }: { signal: AbortSignal }) => {
      started.resolve();
      return new Promise((resolve) => signal.addEventListener("abort", () => resolve("cut"), { once: true }));
    },
  });
  const world = setup(
    [{ tools: [calling("echo")] }, { text: "So far." }],
    { tools: [patient.tool], hooks: [hook], limits: { wallClockMs: 500 }, onLimit: "land" },
    { testing: { clock } },
  );
  const result = world.say("Go");
  await started.promise;
  await clock.advance(500);
  const { stop, text } = await result;
  expect({ stop: stop.type, text, aborted }).toEqual({
    stop: "deadline",
    text: "So far.",
    aborted: [false, false],
  });
});

it("L14 refuses a tool choice that names no tool", async () => {
  expectPrinted(`pawl: beforeTurn of "chooses" (agent "tester"): toolChoice names the tool "no_such"`);
  const hook: Hook = {
    name: "chooses",
    beforeTurn: () => ({ toolChoice: { type: "tool", name: "no_such" } }),
  };
  const world = setup([{ text: "never" }], { hooks: [hook] });
  expect((await world.say("Go")).stop.type).toBe("error");
  expect(world.model.requests).toEqual([]);
});
