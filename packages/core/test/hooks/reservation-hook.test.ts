import { strictModel, testClock } from "@pawl/testing";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { expectPrinted } from "../../../../test/support/printed.ts";
import {
  agent,
  agentTool,
  type Clock,
  type EventData,
  memoryReservations,
  memoryStore,
  PawlError,
  systemClock,
  tool,
} from "../../src/index.ts";
import { AMOUNT, budget, LIMIT, tokens } from "../support/budget.ts";
import { allowFailedHooks, failures, named, sound } from "../support/hooks.ts";
import { never, setup, stored } from "../support/setup.ts";
import { failingStore } from "../support/stores.ts";
import { ask, calling, echo, question } from "../support/tools.ts";

describe("reservation: what a run is charged with", () => {
  it("E10 a run of several turns is charged once with what it used, not once a step and not cumulatively", async () => {
    const { hook, reservations, balance } = budget();
    const held: number[] = [];
    const look = tool({
      name: "look",
      description: "",
      input: z.object({ n: z.number() }),
      execute: async () => {
        const { used, held: rest } = await balance();
        held.push(rest);
        return used;
      },
    });
    const looking = (n: number) => ({ tools: [{ name: "look", input: { n } }] });
    const script = [looking(1), looking(2), looking(3), { text: "Ok." }, { text: "Yes." }];
    const world = setup(script, { tools: [look], hooks: [hook] });
    const result = await world.say("Go");
    expect(result).toMatchObject({ stop: { type: "end_turn" }, turns: 4 });
    expect(tokens(result)).toBeGreaterThan(0);
    expect(await balance()).toEqual({ used: tokens(result), held: 0 });
    // Before each turn the run has paid for those before it, and holds the rest.
    const [first, ...later] = held;
    expect(first).toBe(AMOUNT);
    expect(later.map((rest, at) => rest < (held[at] ?? 0))).toEqual([true, true]);
    const again = await world.say("Again", { sessionId: result.sessionId });
    expect(await balance()).toEqual({ used: tokens(result) + tokens(again), held: 0 });
    expect(await reservations.expire()).toBe(0);
  });

  it.each([
    ["an error of the model", [{ text: "x", fault: { status: 400 } }], "error"],
    ["an error in mid-stream", [{ text: "one two", fault: { midStream: "api_error" } }], "error"],
    ["an answer that is cut", [{ text: "one two three", clip: 5 }], "max_tokens"],
    ["a limit", [{ tools: [calling("echo")] }, { tools: [calling("echo", "b")] }], "turn_limit"],
  ])("E10 %s: the run is charged with what it used, and the rest is back", async (_what, script, type) => {
    if (type === "error") expectPrinted(/^pawl: (invalid_request_error|Internal server error)/);
    const { hook, balance } = budget();
    const world = setup([...script], { tools: [echo().tool], hooks: [hook], limits: { turns: 2 } });
    const result = await world.say("Go");
    expect(result.stop.type).toBe(type);
    expect(await balance()).toEqual({ used: tokens(result), held: 0 });
  });

  it("E10 what a run gives to another agent is charged with it", async () => {
    const { hook, balance } = budget();
    const researcher = strictModel({ script: [{ text: "It is 42." }] });
    const helper = agentTool({
      agent: agent({ name: "researcher", instructions: "Find out.", model: researcher }),
      description: "Finds out.",
    });
    const world = setup(
      [{ tools: [{ name: "researcher", input: { task: "What is it?" } }] }, { text: "42." }],
      {
        tools: [helper],
        hooks: [hook],
      },
    );
    const result = await world.say("Go");
    expect(researcher.requests).toHaveLength(1);
    const log = await world.log(result.sessionId);
    const own = log.flatMap((event) => (event.type === "llm_response" ? [event.data.tokens.total] : []));
    const { used, held } = await balance();
    expect([used, held]).toEqual([tokens(result), 0]);
    expect(used).toBeGreaterThan(own.reduce((sum, one) => sum + one, 0));
  });

  it("E10 L9 stopping in mid-stream charges what was used and gives the rest back", async () => {
    const { hook, balance } = budget();
    const world = setup([{ text: "One two three four five six", delayPerEventMs: 5 }], { hooks: [hook] });
    const control = new AbortController();
    const run = world.pawl.run("tester", { userId: "u1", input: "Go", signal: control.signal });
    run.on("text_delta", () => control.abort());
    const result = await run.result;
    expect(result.stop.type).toBe("aborted");
    expect(tokens(result)).toBeGreaterThan(0);
    expect(await balance()).toEqual({ used: tokens(result), held: 0 });
  });

  it("E10 an answer that was lost with its process is charged with its estimate, also where the run ends then", async () => {
    let now = 0;
    const store = memoryStore({ now: () => now });
    const { hook, balance } = budget();
    const world = setup([{ text: "One two", fault: { stall: 3 } }], { hooks: [hook] }, { store });
    const run = world.pawl.run("tester", { userId: "u1", input: "Go" });
    run.result.catch(() => undefined);
    const { sessionId } = await run.started;
    await stored(world, sessionId, "llm_request");
    now += 60_000;
    const next = setup([{ text: "Fine." }], { hooks: [hook] }, { store });
    await next.pawl.stop(sessionId, { userId: "u1" });
    await stored(next, sessionId, "run_ended");
    const [request] = await next.of(sessionId, "llm_request");
    expect(request?.data.estimated_tokens).toBeGreaterThan(0);
    expect(await balance()).toEqual({ used: request?.data.estimated_tokens, held: 0 });
  });

  it("E10 two budgets of one agent are two reservations, and a session's longest name is not too long", async () => {
    const reservations = memoryReservations();
    const daily = budget({ reservations, name: "daily" }).hook;
    const monthly = budget({ reservations, account: "month", name: "monthly" }).hook;
    const world = setup([{ text: "Ok." }], { hooks: [daily, monthly] });
    const { id: sessionId } = await world.store.sessions.create({
      id: "s".repeat(1_000),
      userId: "u1",
      agent: "tester",
    });
    const result = await world.say("Go", { sessionId });
    expect(result.stop.type).toBe("end_turn");
    expect(await reservations.balance("u1")).toEqual({ used: tokens(result), held: 0 });
    expect(await reservations.balance("month")).toEqual({ used: tokens(result), held: 0 });
  });
});

describe("reservation: a budget without room", () => {
  it("E10 a run that is denied makes no request, says why, and leaves nothing behind", async () => {
    const told: EventData["error"][] = [];
    const { hook, reservations, balance } = budget({ message: "Your plan is used up." });
    const world = setup([{ text: "Ok." }], {
      hooks: [hook, named("told", { onError: (error) => void told.push(error) })],
    });
    await reservations.reserve({ account: "u1", id: "other", amount: LIMIT - AMOUNT + 1, limit: LIMIT });
    const result = await world.say("Go");
    expect(result.stop).toEqual({ type: "quota_exceeded", message: "Your plan is used up." });
    expect(world.model.requests).toEqual([]);
    expect(told.map(({ code }) => code)).toEqual(["quota_exceeded"]);
    expect(await balance()).toEqual({ used: 0, held: LIMIT - AMOUNT + 1 });
    await reservations.finalize("other", 1);
    await sound(world, result.sessionId);
  });

  it("E10 the agent's own message overrides the hook's", async () => {
    const world = setup([], {
      hooks: [budget({ limit: 0 }).hook],
      stopMessages: { quota_exceeded: "Come back next month." },
    });
    expect((await world.say("Go")).stop.message).toBe("Come back next month.");
  });

  it("E10 a run that has used up what it reserved makes no further turn", async () => {
    const { hook, balance } = budget({ amount: 20 });
    const world = setup([{ tools: [calling("echo")] }, { text: "Ok." }], {
      tools: [echo().tool],
      hooks: [hook],
    });
    const result = await world.say("Go");
    expect([result.stop.type, result.turns]).toEqual(["quota_exceeded", 1]);
    expect(tokens(result)).toBeGreaterThan(20);
    expect(await balance()).toEqual({ used: tokens(result), held: 0 });
  });

  it("E10 of runs that begin at once only as many make requests as the budget has room for", async () => {
    const { hook, balance } = budget();
    const world = setup({ rules: () => ({ text: "Ok.", latencyMs: 50 }) }, { hooks: [hook] });
    const results = await Promise.all(Array.from({ length: 10 }, () => world.say("Go")));
    const ends = results.map(({ stop }) => stop.type).sort();
    expect(ends).toEqual([...Array(2).fill("end_turn"), ...Array(8).fill("quota_exceeded")]);
    expect(world.model.requests).toHaveLength(2);
    const used = results.reduce((sum, result) => sum + tokens(result), 0);
    expect(await balance()).toEqual({ used, held: 0 });
  });
});

describe("reservation: a run that waits for its user", () => {
  it("E10 P1 has paid for what it did, holds nothing, and continues with the rest", async () => {
    let month = "u1";
    const { hook, reservations, balance } = budget({ account: () => month });
    const world = setup([{ tools: [question] }, { text: "Ok." }], { tools: [ask], hooks: [hook] });
    const asked = await world.say("Go");
    expect(asked.stop.type).toBe("suspended");
    expect(tokens(asked)).toBeGreaterThan(0);
    expect(await balance()).toEqual({ used: tokens(asked), held: 0 });
    // A run that is answered in the next month stays in the account of the first.
    month = "later";
    const result = await world.answer(asked.sessionId, "toolu_q", "yes");
    expect(result.stop.type).toBe("end_turn");
    expect(await balance()).toEqual({ used: tokens(result), held: 0 });
    expect(await reservations.balance("later")).toEqual({ used: 0, held: 0 });
  });

  it("E10 ends where there is no room any more when it would go on", async () => {
    const { hook, reservations, balance } = budget();
    const world = setup([{ tools: [question] }, { text: "Ok." }], { tools: [ask], hooks: [hook] });
    const asked = await world.say("Go");
    await reservations.reserve({ account: "u1", id: "other", amount: LIMIT - AMOUNT + 1, limit: LIMIT });
    const result = await world.answer(asked.sessionId, "toolu_q", "yes");
    expect([result.stop.type, result.turns]).toEqual(["quota_exceeded", 1]);
    expect(world.model.requests).toHaveLength(1);
    expect(await balance()).toEqual({ used: tokens(asked), held: LIMIT - AMOUNT + 1 });
  });

  it("E10 P6 is charged no more when its user stops it or talks past it", async () => {
    const { hook, balance } = budget();
    const script = [{ tools: [question] }, { text: "Ok." }];
    const world = setup(script, { tools: [ask], hooks: [hook] });
    const asked = await world.say("Go");
    const next = await world.say("Never mind", { sessionId: asked.sessionId });
    expect(await balance()).toEqual({ used: tokens(asked) + tokens(next), held: 0 });
    const other = budget();
    const stopping = setup(script, { tools: [ask], hooks: [other.hook] });
    const waiting = await stopping.say("Go");
    await stopping.pawl.stop(waiting.sessionId, { userId: "u1" });
    await stored(stopping, waiting.sessionId, "run_ended");
    expect(await other.balance()).toEqual({ used: tokens(waiting), held: 0 });
  });
});

describe("reservation: time, and what fails", () => {
  const minutes = 60_000;

  it("E10 is renewed while a tool takes its time, and expires when its process has died", async () => {
    const clock = testClock();
    const reservations = memoryReservations({ clock });
    const { hook, balance } = budget({ reservations, clock });
    const base = memoryStore();
    let dead = false;
    const store = failingStore(base, () => dead);
    let finish: (() => void) | undefined;
    const slow = tool({
      name: "slow",
      description: "",
      input: z.object({}),
      timeoutMs: 60 * minutes,
      execute: () => new Promise<string>((resolve) => (finish = () => resolve("done"))),
    });
    const options = { tools: [slow], hooks: [hook], limits: { wallClockMs: 60 * minutes } };
    const more = { store, testing: { clock }, times: { storeRetryMs: [] } };
    const world = setup([{ tools: [{ name: "slow" }] }], options, more);
    const run = world.pawl.run("tester", { userId: "u1", input: "Go" });
    run.result.catch(() => undefined);
    const { sessionId } = await run.started;
    await stored(world, sessionId, "tool_started");
    for (let minute = 0; minute < 20; minute += 1) await clock.advance(minutes);
    const { used, held } = await balance();
    expect(used + held).toBe(AMOUNT);
    expect(used).toBeGreaterThan(0);
    dead = true;
    finish?.();
    await expect(run.result).rejects.toMatchObject({ code: "store_unavailable" });
    await clock.advance(4 * minutes);
    expect((await balance()).held).toBe(held);
    await clock.advance(2 * minutes);
    expect(await balance()).toEqual({ used, held: 0 });
  });

  it("E10 a call that failed, or whose answer was lost, is made again and counts once", async () => {
    const real = memoryReservations();
    const failed = new Set<string>();
    const once = async <T>(what: string, call: () => Promise<T>): Promise<T> => {
      const answer = what === "reserve" || failed.has(what) ? await call() : undefined;
      if (failed.has(what)) return answer as T;
      failed.add(what);
      throw new PawlError("store_unavailable", "connection reset");
    };
    const reservations: typeof real = {
      ...real,
      reserve: (...args) => once("reserve", () => real.reserve(...args)),
      renew: (...args) => once("renew", () => real.renew(...args)),
      abort: (...args) => once("abort", () => real.abort(...args)),
      finalize: (...args) => once("finalize", () => real.finalize(...args)),
    };
    const waited: number[] = [];
    const after: Clock["after"] = (ms, then, options) => {
      if (ms === 7) waited.push(ms);
      return systemClock.after(ms, then, options);
    };
    const clock = { now: systemClock.now, after };
    const { hook, balance } = budget({ reservations, retryMs: [7], clock });
    const world = setup([{ tools: [question] }, { text: "Ok." }], { tools: [ask], hooks: [hook] });
    const asked = await world.say("Go");
    expect(await balance()).toEqual({ used: tokens(asked), held: 0 });
    const result = await world.answer(asked.sessionId, "toolu_q", "yes");
    expect([...failed].sort()).toEqual(["abort", "finalize", "renew", "reserve"]);
    expect(waited).toHaveLength(4);
    expect(await balance()).toEqual({ used: tokens(result), held: 0 });
  });

  it("E10 a budget that cannot be asked lets no run begin, and the run goes on when it can", async () => {
    let now = 0;
    let down = true;
    const real = memoryReservations();
    const reservations: typeof real = {
      ...real,
      renew: async (...args) => {
        if (down) throw new PawlError("store_unavailable", "down");
        return await real.renew(...args);
      },
    };
    const store = memoryStore({ now: () => now });
    const { hook, balance } = budget({ reservations });
    const world = setup([{ text: "Ok." }], { hooks: [hook] }, { store });
    const run = world.pawl.run("tester", { userId: "u1", input: "Go" });
    await expect(run.result).rejects.toMatchObject({ code: "store_unavailable" });
    expect(world.model.requests).toEqual([]);
    down = false;
    now += 60_000;
    const { sessionId } = await run.started;
    await world.pawl.sweep();
    await stored(world, sessionId, "run_ended");
    expect((await world.of(sessionId, "run_ended"))[0]?.data.stop.type).toBe("end_turn");
    expect((await balance()).used).toBeGreaterThan(0);
  });

  it.each([
    ["cannot be charged", () => Promise.reject(new PawlError("store_unavailable", "down"))],
    ["is charged by nobody who answers", never],
  ])("E10 a run whose end %s is not over before it is", { timeout: 15_000 }, async (_how, unavailable) => {
    let now = 0;
    let down = true;
    const real = memoryReservations();
    const reservations: typeof real = {
      ...real,
      finalize: async (...args) => {
        if (down) return await unavailable();
        return await real.finalize(...args);
      },
    };
    const store = memoryStore({ now: () => now });
    const { hook, balance } = budget({ reservations });
    const world = setup([{ text: "Ok." }], { hooks: [hook] }, { store });
    const run = world.pawl.run("tester", { userId: "u1", input: "Go" });
    await expect(run.result).rejects.toMatchObject({ code: "store_unavailable" });
    const { sessionId } = await run.started;
    expect(await world.of(sessionId, "run_ended")).toEqual([]);
    down = false;
    now += 60_000;
    await world.pawl.sweep();
    await stored(world, sessionId, "run_ended");
    const { used, held } = await balance();
    expect(used).toBeGreaterThan(0);
    expect(held).toBe(0);
    expect(world.model.requests).toHaveLength(1);
  });

  it("E10 an invalid value of the application ends the run before any request", async () => {
    for (const [wrong, said] of [
      [{ amount: -1 }, "amount must be a whole number"],
      [{ limit: Number.NaN }, "limit must be a whole number"],
      [{ account: "" }, "Ids, types and keys must be strings"],
    ] as const) {
      expectPrinted(`pawl: beforeTurn of "reservation" (agent "tester"): ${said}`);
      const world = setup([{ text: "Ok." }], { hooks: [budget(wrong).hook] });
      const { stop, sessionId } = await world.say("Go");
      expect(stop.type).toBe("error");
      expect(world.model.requests).toEqual([]);
      expect(failures(await world.log(sessionId))).toContain("beforeTurn of reservation");
    }
  });
});

describe("onSuspend", () => {
  it("H1 is called before the run waits, once a leg, and what throws or hangs keeps no run from waiting", async () => {
    allowFailedHooks();
    const order: string[] = [];
    const clock = testClock();
    const hooks = [
      named("first", { onSuspend: async ({ run }) => void order.push(`first ${run.turns}`) }),
      named("throws", {
        onSuspend: () => {
          throw new Error("no");
        },
      }),
      named("hangs", { onSuspend: never }),
      named("last", { onSuspend: () => void order.push("last") }),
    ];
    const script = [{ tools: [question] }, { text: "Fine." }];
    const world = setup(script, { tools: [ask], hooks }, { testing: { clock } });
    const run = world.pawl.run("tester", { userId: "u1", input: "Go" });
    const { sessionId } = await run.started;
    await stored(world, sessionId, "error");
    // A stop that comes meanwhile is not lost: the run ends instead of waiting.
    await world.pawl.stop(sessionId, { userId: "u1" });
    await clock.advance(1_000);
    expect((await run.result).stop.type).toBe("aborted");
    expect(await world.of(sessionId, "run_suspended")).toEqual([]);
    expect(failures(await world.log(sessionId))).toEqual(["onSuspend of throws"]);
    expect(order[0]).toBe("first 1");
  });
});
