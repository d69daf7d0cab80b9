import { testClock } from "@pawl/testing";
import { describe, expect, it } from "vitest";
import { memoryStore, type ToolContext } from "../../src/index.ts";
import { stored, types, until, user } from "../support/setup.ts";
import { dyingStore, has } from "../support/stores.ts";
import { boot, clean, polling, resultOf, script } from "../support/waits.ts";

const polls = clean(polling);

describe("a call that waits for a time", () => {
  it("F26 runs again each time with its state, shows nobody a question, and its run's result waits for it", async () => {
    const world = boot([polls]);
    const { clock, store } = world;
    const run = world.pawl.run("tester", { ...user, input: "Go" });
    const { sessionId } = await run.started;
    for (const round of [1, 2, 3]) {
      await until(async () => (await world.of(sessionId, "run_suspended")).length === round);
      await clock.advance(0);
      const view = await world.pawl.view(sessionId, user);
      expect(view.pending).toEqual([]);
      expect(view.run).toMatchObject({ open: true });
      expect(view.runningTools).toEqual({ c1: "clean" });
      expect(view.messages[1]?.parts).toMatchObject([{ type: "tool", phase: "running" }]);
      expect(await store.sessions.get(sessionId)).toMatchObject({
        status: "active",
        wakeAt: new Date(clock.now() + 60_000).toISOString(),
      });
      expect(await world.pawl.sweep()).toBe(0);
      await clock.advance(60_001);
    }
    const { stop, pending } = await run.result;
    expect({ stop: stop.type, pending }).toEqual({ stop: "end_turn", pending: [] });
    expect(await resultOf(world, sessionId)).toMatchObject({
      success: true,
      result: { value: null, state: { times: 2 }, questions: 3, expired: true },
    });
    const tools = types(await world.log(sessionId)).filter((type) => type.startsWith("tool_"));
    const round = ["tool_started", "tool_suspended", "tool_answered"];
    expect(tools).toEqual(["tool_call", ...round, ...round, ...round, "tool_started", "tool_result"]);
  });

  it("F26 refuses answers of clients, and waits on", async () => {
    const world = boot([polls]);
    const run = world.pawl.run("tester", { ...user, input: "Go" });
    const { sessionId } = await run.started;
    await stored(world, sessionId, "run_suspended");
    const before = (await world.log(sessionId)).length;
    await expect(world.answer(sessionId, "c1", null)).rejects.toMatchObject({
      code: "unknown_call",
      message: /waits for a time/,
    });
    expect(await world.log(sessionId)).toHaveLength(before);
  });

  it("F26 is as busy as a running one: a message is refused, queued, or interrupts it", async () => {
    for (const whenBusy of ["reject", "queue", "interrupt"] as const) {
      const world = boot([polls]);
      const { clock } = world;
      const run = world.pawl.run("tester", { ...user, input: "Go" });
      const { sessionId } = await run.started;
      await stored(world, sessionId, "run_suspended");
      await clock.advance(0);
      const next = world.pawl.run("tester", { ...user, sessionId, input: "And?", whenBusy });
      if (whenBusy === "reject") {
        next.result.catch(() => undefined);
        const refused = expect(next.started).rejects.toMatchObject({ code: "session_busy" });
        await clock.advance(1_000);
        await refused;
        expect(await world.of(sessionId, "run_suspended")).toHaveLength(1);
      } else await next.started;
      if (whenBusy !== "interrupt") for (const _ of [1, 2, 3]) await clock.advance(60_001);
      const { stop } = await run.result;
      expect(stop.type).toBe(whenBusy === "interrupt" ? "interrupted" : "end_turn");
      if (whenBusy !== "reject") expect((await next.result).stop.type).toBe("end_turn");
      const { success, result } = (await resultOf(world, sessionId)) ?? {};
      expect(success).toBe(whenBusy !== "interrupt");
      if (whenBusy === "interrupt") expect(result).toMatch(/outcome of this call is unknown/);
    }
  });

  it("F26 P6 goes on in a process that does not sweep, if its user stores a message in the database", async () => {
    const world = boot([polls]);
    const run = world.pawl.run("tester", { ...user, input: "Go" });
    const { sessionId } = await run.started;
    await stored(world, sessionId, "run_suspended");
    await world.clock.advance(0);
    const message = { type: "user_message", data: { message: "And?", queued: true } } as const;
    await world.store.append(sessionId, [message], { appendId: "user:1", session: { wakes: true } });
    for (const _ of [1, 2, 3]) await world.clock.advance(60_001);
    expect((await run.result).stop.type).toBe("end_turn");
    expect(await resultOf(world, sessionId)).toMatchObject({ success: true, result: { questions: 3 } });
  });

  it("F26 P4 ends at once when its run is stopped, by a request or by its signal", async () => {
    for (const how of ["request", "signal"] as const) {
      const world = boot([polls]);
      const control = new AbortController();
      const run = world.pawl.run("tester", { ...user, input: "Go", signal: control.signal });
      const { sessionId } = await run.started;
      await stored(world, sessionId, "run_suspended");
      await world.clock.advance(0);
      if (how === "signal") control.abort();
      else await world.pawl.stop(sessionId, user);
      expect((await run.result).stop.type).toBe("aborted");
      expect(await resultOf(world, sessionId)).toMatchObject({
        success: false,
        result: expect.stringMatching(/outcome of this call is unknown/),
      });
      await world.clock.advance(3_600_000);
      expect((await world.of(sessionId, "run_ended")).length).toBe(1);
    }
  });

  it("F26 does not count towards the time limits of its run and its tool", async () => {
    const slow = clean(polling, { timeoutMs: 1_000 });
    const world = boot([slow], { options: { limits: { wallClockMs: 50_000 } } });
    const { clock } = world;
    const run = world.pawl.run("tester", { ...user, input: "Go" });
    await stored(world, (await run.started).sessionId, "run_suspended");
    for (const _ of [1, 2, 3]) await clock.advance(60_001);
    expect((await run.result).stop.type).toBe("end_turn");
  });

  it("F26 P1 is polled by another process if its own has died", async () => {
    const clock = testClock();
    const base = memoryStore({ now: clock.now });
    const dying = dyingStore(base, (events) => has(events, "run_suspended"));
    const first = boot([polls], { clock, store: dying });
    const { sessionId } = await first.pawl.run("tester", { ...user, input: "Go" }).started;
    await until(() => dying.dead);
    const next = boot([polls], { clock, store: base, left: script.slice(1) });
    next.pawl.start();
    for (const _ of [1, 2, 3, 4, 5]) await clock.advance(60_001);
    await next.pawl.drain();
    expect(await resultOf(next, sessionId)).toMatchObject({ success: true, result: { questions: 3 } });
  });

  it("F26 refuses invalid times, and a tool with `suspends`", async () => {
    const wrong: unknown[] = [];
    const attempt = (context: ToolContext, given: unknown) => {
      try {
        context.wait(given as never);
      } catch (error) {
        wrong.push(error);
      }
    };
    const invalid = clean((context) => {
      for (const given of [
        undefined,
        {},
        { afterMs: -1 },
        { afterMs: Number.NaN },
        { at: "soon" },
        { at: 5 },
      ])
        attempt(context, given);
      attempt(context, { afterMs: 1, at: new Date(0) });
      attempt(context, { afterMs: 1, state: 1n });
      attempt(context, { afterMs: 1, kind: "x" });
      return "went on";
    });
    const world = boot([invalid]);
    const { sessionId } = await world.say("Go");
    expect(wrong).toHaveLength(9);
    for (const error of wrong) expect(error).toMatchObject({ code: "invalid_input" });
    expect(await resultOf(world, sessionId)).toMatchObject({ result: "went on" });
  });
});
