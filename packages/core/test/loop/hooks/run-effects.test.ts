import { type Reply, testClock } from "@pawl/testing";
import { beforeEach, describe, expect, it } from "vitest";
import { expectPrinted } from "../../../../../test/support/printed.ts";
import { type Hook, memoryStore, type RunResult } from "../../../src/index.ts";
import { code } from "../../support/errors.ts";
import { allowFailedHooks, failures, named, sound } from "../../support/hooks.ts";
import { never, setup, stored, until, user } from "../../support/setup.ts";
import { beforeAppend, has } from "../../support/stores.ts";
import { ask, calling, echo, question } from "../../support/tools.ts";

beforeEach(allowFailedHooks);

/** Remembers every run whose effect it was asked to do, with how the run ended. */
function effect(name = "summary", idempotent = false): { did: RunResult[]; hook: Hook } {
  const did: RunResult[] = [];
  return { did, hook: { name, idempotent, afterRun: (result) => void did.push(result) } };
}

describe("afterRun", () => {
  const boom = { name: "boom", input: { text: "" } };
  const bad = echo("boom", {
    execute: () => {
      throw new Error("no");
    },
  });
  const ends: readonly [string, readonly Reply[], object][] = [
    ["end_turn", [{ text: "Ok." }], {}],
    ["turn_limit", [{ tools: [calling("echo")] }], { limits: { turns: 1 } }],
    [
      "turn_limit",
      [{ tools: [calling("echo")] }, { text: "So far." }],
      { limits: { turns: 2 }, onLimit: "land" },
    ],
    ["error", [{ text: "x", fault: { status: 400 } }], {}],
    ["max_tokens", [{ text: "one two three", clip: 5 }], {}],
    ["refusal", [{ text: "", stop: "refusal" }], {}],
    ["circuit_open", [{ tools: [boom] }], { limits: { errorTurns: 1 } }],
    ["terminal_tool", [{ tools: [calling("done")] }], {}],
    ["blocked", [], { stopWhen: [() => ({ type: "blocked", message: "No." })] }],
  ];

  it.each(ends)("L17 runs once, when everything is stored, at the end %s", async (type, script, options) => {
    if (type === "error") expectPrinted("pawl: invalid_request_error");
    const { did, hook } = effect();
    const tools = [echo().tool, bad.tool, echo("done", { endsRun: true }).tool];
    const world = setup([...script, { text: "Fine." }], { tools, hooks: [hook], ...options });
    const { sessionId, ...rest } = await world.say("Go");
    expect(rest.stop.type).toBe(type);
    expect(did).toEqual([{ sessionId, ...rest }]);
    const log = await world.log(sessionId);
    const at = log.findIndex((event) => event.type === "effect_started");
    const answered = ["assistant_message", "tool_result", "llm_response"];
    expect(log.slice(at).filter((event) => answered.includes(event.type))).toEqual([]);
    expect(log.slice(at).map((event) => event.type)).toEqual(
      expect.arrayContaining(["effect_started", "effect_ended", "run_ended"]),
    );
    if (type !== "blocked") await sound(world, sessionId);
    expect((await world.of(sessionId, "effect_started")).map(({ key }) => key)).toHaveLength(did.length);
  });

  it("L9 L17 runs once when the run is stopped, while it works and while it waits", async () => {
    const { did, hook } = effect();
    const world = setup([{ tools: [question, calling("echo")] }, { text: "Fine." }], {
      tools: [ask, echo().tool],
      hooks: [hook],
    });
    const { sessionId } = await world.say("Go");
    expect(did).toEqual([]);
    await world.pawl.stop(sessionId, user);
    for await (const _ of world.pawl.follow(sessionId, { untilIdle: true })) if (did.length > 0) break;
    await stored(world, sessionId, "run_ended");
    expect(did.map(({ stop, pending }) => [stop.type, pending])).toEqual([["aborted", []]]);
    await sound(world, sessionId);
    const control = new AbortController();
    const working = setup([{ text: "one two three four", delayPerEventMs: 5 }], { hooks: [hook] });
    const run = working.pawl.run("tester", { ...user, input: "Go", signal: control.signal });
    run.on("text_delta", () => control.abort());
    expect((await run.result).stop.type).toBe("aborted");
    expect(did.at(-1)?.text).not.toBe("");
    expect(did.filter(({ stop }) => stop.type === "aborted")).toHaveLength(2);
  });

  /** A run whose user writes a message instead of an answer. */
  async function talkedPast() {
    const { did, hook } = effect();
    const seen: unknown[] = [];
    const hooks = [
      hook,
      named("adds", {
        onStop: (stop) => ({ ...stop, message: `${stop.type}!` }),
        afterRun: async ({ stop }, { append, deps }) => {
          seen.push(deps);
          await append({ type: "note", data: { text: `It was ${stop.type}.` } });
        },
      }),
    ];
    const world = setup(
      [{ text: "One.", tools: [question, calling("echo")] }, { text: "Two." }, { text: "Fine." }],
      { tools: [ask, echo().tool], hooks },
      { deps: () => "deps" },
    );
    const { sessionId, runId } = await world.say("Go");
    expect(did).toEqual([]);
    const next = await world.say("Never mind", { sessionId });
    return { world, sessionId, runId, next, did, seen };
  }

  it("L17 P6 runs for a run that the user talks past, with the deps of its tools", async () => {
    const { world, sessionId, runId, next, did, seen } = await talkedPast();
    expect(next.stop.type).toBe("end_turn");
    expect(did.map((result) => [result.runId, result.stop.type, result.text])).toEqual([
      [runId, "interrupted", "One."],
      [next.runId, "end_turn", "Two."],
    ]);
    expect(seen).toEqual(["deps", "deps"]);
    await sound(world, sessionId);
  });

  it("L17 P6 ends a run that the user talks past before the next one begins", async () => {
    const { world, sessionId, runId } = await talkedPast();
    const [ended] = await world.of(sessionId, "run_ended");
    expect(ended?.data).toMatchObject({
      run_id: runId,
      stop: { message: "interrupted!" },
      session_status: "active",
    });
    const log = await world.log(sessionId);
    const order = log.map((event) =>
      event.type === "run_ended" || event.type === "effect_ended"
        ? `${event.type} ${event.data.run_id === runId}`
        : event.type,
    );
    expect(order.indexOf("effect_ended true")).toBeLessThan(order.indexOf("run_ended true"));
    expect(order.indexOf("run_ended true") + 1).toBe(
      order.lastIndexOf("run_started") +
        (order[order.lastIndexOf("run_started") - 1] === "run_ended true" ? 0 : -1),
    );
  });

  it("L17 P6 shows the model what it added to a run that the user talks past, before the new message", async () => {
    const { world } = await talkedPast();
    expect(world.model.requests[1]?.messages.at(-1)?.content).toMatchObject([
      { type: "tool_result", tool_use_id: "toolu_q", content: expect.stringContaining('"answered":false') },
      { type: "tool_result", content: "echo a" },
      { type: "text", text: expect.stringContaining("It was interrupted.") },
      { type: "text", text: "Never mind" },
    ]);
  });

  it("L17 P6 leaves a question that the user talks past unanswered", async () => {
    const { world, sessionId } = await talkedPast();
    expect(
      (await world.of(sessionId, "tool_result")).find(({ data }) => data.tool_name === "ask")?.data.result,
    ).toEqual({
      answered: false,
      reason: "the user wrote a new message instead of answering.",
    });
  });

  it("L17 P4 leaves a run to the answer that comes while the user talks past it", async () => {
    const base = memoryStore();
    let race: (() => Promise<unknown>) | undefined;
    const store = beforeAppend(base, async (events) => {
      if (race !== undefined && has(events, "effect_started")) {
        const answer = race;
        race = undefined;
        await answer();
      }
    });
    const { did, hook } = effect();
    const world = setup(
      [{ tools: [question] }, { text: "Thanks." }, { text: "Fine." }],
      { tools: [ask], hooks: [hook] },
      { store },
    );
    const { sessionId, runId } = await world.say("Go");
    const elsewhere = setup([{ text: "Unused." }], { tools: [ask], hooks: [hook] }, { store: base });
    race = () =>
      elsewhere.pawl.run("tester", { ...user, sessionId, answers: [{ callId: "toolu_q", value: "yes" }] })
        .started;
    await expect(world.say("Never mind", { sessionId })).rejects.toSatisfy(code("session_busy"));
    for await (const _ of world.pawl.follow(sessionId, { untilIdle: { runId } })) if (did.length > 0) break;
    await stored(world, sessionId, "run_ended");
    expect(did.map((result) => [result.runId, result.stop.type])).toEqual([[runId, "end_turn"]]);
    await sound(world, sessionId);
  });

  it("E2 P6 begins anew where another process takes the session over while a run is talked past", async () => {
    let time = 0;
    const store = memoryStore({ now: () => time });
    let release: (() => void) | undefined;
    const slow = named("slow", {
      afterRun: () => {
        if (release !== undefined) return;
        const { promise, resolve } = Promise.withResolvers<void>();
        release = resolve;
        return promise;
      },
    });
    const world = setup(
      [{ tools: [question] }, { text: "Fine." }, { text: "And fine." }],
      { tools: [ask], hooks: [slow] },
      { store },
    );
    const { sessionId } = await world.say("Go");
    const second = world.say("Second", { sessionId });
    await stored(world, sessionId, "effect_started");
    time += 60_000;
    const elsewhere = setup([{ text: "Ok." }], { tools: [ask] }, { store });
    expect((await elsewhere.say("Third", { sessionId })).text).toBe("Ok.");
    release?.();
    expect((await second).text).toBe("Fine.");
    await sound(world, sessionId);
  });

  it("L17 has 5 s, also in a run that was stopped; one that hangs or throws is logged and prevents no other", async () => {
    const clock = testClock();
    let signal: AbortSignal | undefined;
    const { did, hook } = effect("last");
    const hooks = [
      hook,
      named("throws", {
        afterRun: () => {
          throw new Error("no");
        },
      }),
      named("hangs", {
        afterRun: (_result, context) => {
          signal = context.signal;
          return never();
        },
      }),
    ];
    const control = new AbortController();
    control.abort();
    const world = setup([{ text: "Fine." }], { hooks }, { testing: { clock } });
    const { id: sessionId } = await world.store.sessions.create({ id: "s1", userId: "u1", agent: "tester" });
    const result = world.say("Go", { sessionId, signal: control.signal });
    await stored(world, sessionId, "effect_started");
    await clock.advance(4_900);
    expect({ aborted: signal?.aborted, ended: await world.of(sessionId, "run_ended") }).toEqual({
      aborted: false,
      ended: [],
    });
    await clock.advance(200);
    expect((await result).stop.type).toBe("aborted");
    expect(did).toHaveLength(1);
    const ended = await world.of(sessionId, "effect_ended");
    expect(ended.map(({ data }) => [data.name, data.success])).toEqual([
      ["hangs", false],
      ["throws", false],
      ["last", true],
    ]);
    expect(failures(await world.log(sessionId))).toEqual(["afterRun of hangs", "afterRun of throws"]);
  });

  it("L17 adds knowledge that the next run reads", async () => {
    const hooks = [
      named("summary", {
        afterRun: async ({ text }, { append }) => {
          await append({ type: "knowledge", data: { source: "summary", data: `They said: ${text}` } });
        },
      }),
    ];
    const world = setup([{ text: "One." }, { text: "Two." }], { hooks });
    const { sessionId } = await world.say("Go");
    await sound(world, sessionId);
    expect(JSON.stringify(world.model.requests[1]?.messages.at(-1))).toContain("They said: One.");
  });

  it("L17 runs once for a run of many legs, at its end", async () => {
    const { did, hook } = effect();
    const world = setup(
      [
        { tools: [question] },
        { tools: [{ name: "ask", id: "toolu_r", input: { again: 1 } }] },
        { text: "Ok." },
        { text: "Fine." },
      ],
      { tools: [ask], hooks: [hook] },
    );
    const { sessionId, runId } = await world.say("Go");
    await world.answer(sessionId, "toolu_q", "1");
    expect(did).toEqual([]);
    await world.answer(sessionId, "toolu_r", "2");
    expect(did.map((result) => [result.runId, result.turns])).toEqual([[runId, 3]]);
    await sound(world, sessionId);
  });

  it("L17 ends the run for the reason that its effects were given, in whatever process", async () => {
    let clock = 0;
    const base = memoryStore({ now: () => clock });
    const old = setup(
      [{ text: "Ok." }],
      {
        hooks: [
          named("a", {
            onStop: () => ({ type: "first", message: "One." }),
            afterRun: never,
            afterTurn: () => undefined,
          }),
        ],
      },
      { store: base },
    );
    const { sessionId, runId } = await old.pawl.run("tester", { ...user, input: "Go" }).started;
    await stored(old, sessionId, "effect_started");
    clock += 60_000;
    const told: string[] = [];
    const hooks = [
      named("a", {
        onStop: () => ({ type: "second", message: "Two." }),
        afterTurn: () => void told.push("afterTurn"),
      }),
      named("b", { afterRun: ({ stop }) => void told.push(stop.type) }),
    ];
    const next = setup([{ text: "Fine." }], { hooks }, { store: base });
    await next.pawl.sweep();
    for await (const _ of next.pawl.follow(sessionId, { untilIdle: { runId } }));
    expect((await next.of(sessionId, "run_ended")).map(({ data }) => data.stop.type)).toEqual(["first"]);
    expect(told).toEqual(["first"]);
    await sound(next, sessionId);
  });

  it("L17 is finished by the next message where its process died, and the reason stays", async () => {
    let clock = 0;
    const base = memoryStore({ now: () => clock });
    const old = setup([{ text: "Ok." }], { hooks: [named("a", { afterRun: never })] }, { store: base });
    const { sessionId, runId } = await old.pawl.run("tester", { ...user, input: "Go" }).started;
    await stored(old, sessionId, "effect_started");
    clock += 60_000;
    const { did, hook } = effect("b");
    const next = setup(
      [{ text: "Here." }, { text: "Fine." }],
      { hooks: [named("a", { afterRun: () => undefined }), hook] },
      { store: base },
    );
    expect((await next.say("Hello?", { sessionId })).text).toBe("Here.");
    expect(did.map((result) => [result.runId === runId, result.stop.type])).toEqual([
      [true, "end_turn"],
      [false, "end_turn"],
    ]);
  });

  it("L17 notifies no hook of a turn once an effect has begun, in another process either", async () => {
    let clock = 0;
    const store = memoryStore({ now: () => clock });
    const dies: Hook = { name: "summary", afterRun: never };
    const first = setup([{ text: "Ok." }], { hooks: [dies] }, { store });
    const { sessionId } = await first.pawl.run("tester", { ...user, input: "Go" }).started;
    await stored(first, sessionId, "effect_started");
    clock += 60_000;
    const told: unknown[] = [];
    const late = named("late", { afterTurn: (turn) => void told.push(turn) });
    const next = setup([], { hooks: [dies, late] }, { store });
    expect(await next.pawl.sweep()).toBe(1);
    await stored(next, sessionId, "run_ended");
    expect(told).toEqual([]);
  });

  it("L17 is given up if it crashes its processes", async () => {
    let clock = 0;
    const base = memoryStore({ now: () => clock });
    let died = 0;
    const deadly: Hook = {
      name: "deadly",
      idempotent: true,
      afterRun: () => {
        died += 1;
        return never();
      },
    };
    const options = { hooks: [deadly] };
    const first = setup([{ text: "Ok." }], options, { store: base });
    const { sessionId, runId } = await first.pawl.run("tester", { ...user, input: "Go" }).started;
    await stored(first, sessionId, "effect_started");
    for (let n = 0; n < 8 && (await first.of(sessionId, "run_ended")).length === 0; n += 1) {
      clock += 60_000;
      const next = setup([{ text: "Fine." }], options, { store: base });
      const before = died;
      await next.pawl.sweep();
      await until(async () => died > before || (await next.of(sessionId, "run_ended")).length > 0);
    }
    expect(died).toBe(4);
    expect((await first.of(sessionId, "run_ended")).map(({ data }) => data.run_id)).toEqual([runId]);
  });
});
