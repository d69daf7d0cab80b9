import { type TestClock, testClock } from "@pawl/testing";
import { describe, expect, it } from "vitest";
import { memoryStore, PawlError } from "../../src/index.ts";
import { stored, until, user } from "../support/setup.ts";
import { beforeAppend, has } from "../support/stores.ts";
import { answersOf, asking, boot, clean, polling, resultOf, script } from "../support/waits.ts";

const polls = clean(polling);
const asks = clean(asking);

/** A process whose run waits for a time. */
async function waiting(...given: Parameters<typeof boot>) {
  const world = boot(...given);
  const run = world.pawl.run("tester", { ...user, input: "Go" });
  run.result.catch(() => undefined);
  const { sessionId } = await run.started;
  await stored(world, sessionId, "run_suspended");
  await world.clock.advance(0);
  return { world, run, sessionId };
}

/** Advances the clock past both waits that are left, each of them once it is stored. */
async function pastAllWaits(world: Awaited<ReturnType<typeof waiting>>["world"], sessionId: string) {
  for (const count of [2, 3]) {
    await world.clock.advance(60_001);
    await until(async () => (await world.of(sessionId, "run_suspended")).length === count);
  }
  await world.clock.advance(60_001);
}

describe("a process that wakes a run without sweeps", () => {
  it("F26 tries again if another leg holds the session at that moment", async () => {
    const { world, run, sessionId } = await waiting([polls]);
    const { clock, store } = world;
    const lease = await store.acquire(sessionId, "a message that is refused", 10_000_000);
    if (lease === undefined) throw new Error("The session is free.");
    await clock.advance(60_001);
    expect(await world.of(sessionId, "tool_answered")).toEqual([]);
    await store.release(lease);
    await pastAllWaits(world, sessionId);
    expect((await run.result).stop.type).toBe("end_turn");
    expect(await resultOf(world, sessionId)).toMatchObject({ success: true, result: { questions: 3 } });
  });

  it("F26 tries again if the store is down at that moment", async () => {
    const clock = testClock();
    const base = memoryStore({ now: clock.now });
    let down = false;
    const refuse = () => {
      if (down) throw new PawlError("store_unavailable", "down");
    };
    const get = async (id: string) => {
      refuse();
      return await base.sessions.get(id);
    };
    const store = { ...base, sessions: { ...base.sessions, get } };
    const { world, run, sessionId } = await waiting([polls], {
      clock,
      store,
      onError: () => undefined,
    });
    down = true;
    await clock.advance(60_001);
    down = false;
    await pastAllWaits(world, sessionId);
    expect((await run.result).stop.type).toBe("end_turn");
    await world.pawl.drain();
  });

  it("F26 rejects the run's result if the leg that it woke fails", async () => {
    const clock = testClock();
    const base = memoryStore({ now: clock.now });
    const store = beforeAppend(base, (events) => {
      if (has(events, "tool_answered")) throw new PawlError("store_unavailable", "down");
    });
    const { run } = await waiting([polls], {
      clock,
      store,
      times: { storeRetryMs: [] },
      onError: () => undefined,
    });
    const failed = expect(run.result).rejects.toMatchObject({ code: "store_unavailable" });
    await clock.advance(60_001);
    await failed;
  });
});

describe("a process that drains, or lacks credentials", () => {
  it("F26 sets no timer for a run that begins to wait during the drain", async () => {
    let begun = () => {};
    const isRunning = new Promise<void>((resolve) => {
      begun = resolve;
    });
    let finish = () => {};
    const mayWait = new Promise<void>((resolve) => {
      finish = resolve;
    });
    const slow = clean(async (context) => {
      begun();
      await mayWait;
      return polling(context);
    });
    const inner = testClock();
    const timers: number[] = [];
    const after: TestClock["after"] = (ms, ...more) => {
      timers.push(ms);
      return inner.after(ms, ...more);
    };
    const world = boot([slow], {
      clock: { ...inner, after },
      store: memoryStore({ now: inner.now }),
    });
    const run = world.pawl.run("tester", { ...user, input: "Go" });
    run.result.catch(() => undefined);
    const { sessionId } = await run.started;
    await isRunning;
    const drained = world.pawl.drain();
    finish();
    await stored(world, sessionId, "run_suspended");
    await world.clock.advance(120_002);
    await drained;
    expect(await world.of(sessionId, "tool_answered")).toEqual([]);
    // It would keep a process alive that wants to end.
    expect(timers).not.toContain(60_001);
  });

  it("F26 F17 stores a question's default before it asks for the credentials", async () => {
    const clock = testClock();
    const store = memoryStore({ now: clock.now });
    const first = boot([asks], { clock, store });
    const { sessionId } = await first.say("Go", { credentials: { token: "tok_of_ada" } });
    await first.pawl.drain();
    const second = boot([asks], { clock, store });
    await clock.advance(60_001);
    expect(await second.pawl.sweep()).toBe(1);
    await until(async () => (await second.of(sessionId, "run_suspended")).length === 2);
    expect(await answersOf(second, sessionId)).toEqual([{ value: { ok: false }, expired: true }]);
    expect((await second.pawl.view(sessionId, user)).pending).toMatchObject([{ kind: "credentials" }]);
  });
});

it("F26 a wait whose time has come when it is stored suspends nothing", async () => {
  const world = boot([clean(({ answered, wait }) => answered?.questions ?? wait({ afterMs: 0 }))]);
  const { sessionId, stop } = await world.say("Go");
  expect(stop.type).toBe("end_turn");
  expect(await world.of(sessionId, "run_suspended")).toEqual([]);
  expect(await resultOf(world, sessionId)).toMatchObject({ success: true, result: 1 });
});

it("F26 E11 users cannot answer a wait in the database, which finds questions by their keys", async () => {
  const { world, sessionId } = await waiting([polls]);
  const [wait] = await world.of(sessionId, "tool_suspended");
  expect(wait?.key).toMatch(/^waits:/);
});

describe("a reader that resumes a run which waits", () => {
  it("F26 leaves it asleep until the store's clock says that it is due, whatever its own clock says", async () => {
    for (const [one, answer] of [
      [asks, { value: { ok: false }, expired: true }],
      [polls, { value: null, expired: true }],
    ] as const) {
      const clock = testClock();
      const store = memoryStore({ now: () => clock.now() - 3_600_000 });
      const { world: first, sessionId } = await waiting([one], { clock, store });
      await first.pawl.drain();
      const next = boot([one], { clock, store, left: script.slice(1) });
      const control = new AbortController();
      const { signal } = control;
      const reads = Array.fromAsync(next.pawl.follow(sessionId, { resume: true, signal })).catch(() => []);
      for (let seconds = 0; seconds < 50; seconds += 5) await clock.advance(5_000);
      expect(await answersOf(next, sessionId)).toEqual([]);
      const suspensions = (await next.of(sessionId, "run_suspended")).length;
      expect(suspensions).toBeLessThan(3);
      for (let seconds = 0; seconds < 30; seconds += 5) await clock.advance(5_000);
      expect((await answersOf(next, sessionId))[0]).toEqual(answer);
      control.abort();
      await next.pawl.drain();
      await reads;
    }
  });
});

it("F26 a reader with a clock that is wrong does not fill the log of a run that waits for long", async () => {
  const clock = testClock();
  const store = memoryStore({ now: () => clock.now() - 3_600_000 });
  const long = clean(({ answered, wait }) => answered?.questions ?? wait({ afterMs: 1_800_000 }));
  const { world: first, sessionId } = await waiting([long], { clock, store });
  await first.pawl.drain();
  const next = boot([long], { clock, store, left: script.slice(1) });
  next.pawl.start();
  const reads = Array.fromAsync(next.pawl.follow(sessionId, { resume: true })).catch(() => []);
  for (let seconds = 0; seconds < 600; seconds += 10) await clock.advance(10_000);
  expect((await next.of(sessionId, "run_suspended")).length).toBeLessThan(3);
  for (let seconds = 600; seconds < 1_830; seconds += 10) await clock.advance(10_000);
  expect(await resultOf(next, sessionId)).toMatchObject({ success: true, result: 1 });
  await next.pawl.drain();
  await reads;
});
