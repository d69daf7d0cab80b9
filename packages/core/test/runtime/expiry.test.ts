import { type Reply, testClock } from "@pawl/testing";
import { describe, expect, it } from "vitest";
import { memoryStore, tool } from "../../src/index.ts";
import { stored, until, user } from "../support/setup.ts";
import { beforeAppend, dyingStore, has } from "../support/stores.ts";
import { nothing } from "../support/tools.ts";
import { answersOf, asking, boot, clean, polling, resultOf, script, yes } from "../support/waits.ts";

const asks = clean(asking);

describe("a question that expires", () => {
  it("F26 gets its default once its time has come, in any process that sweeps, and the run goes on", async () => {
    const first = boot([asks]);
    const { clock, store } = first;
    const { sessionId, pending } = await first.say("Go");
    const { wakeAt, status } = (await store.sessions.get(sessionId)) ?? {};
    expect(status).toBe("suspended");
    expect(wakeAt).toBe(new Date(clock.now() + 60_000).toISOString());
    expect(pending).toMatchObject([{ expires: { at: wakeAt, default: { ok: false } } }]);
    const second = boot([asks], { clock, store, left: script.slice(1) });
    await first.pawl.drain();
    await clock.advance(59_999);
    expect(await second.pawl.sweep()).toBe(0);
    await clock.advance(1);
    expect(await second.pawl.sweep()).toBe(1);
    await until(async () => (await store.sessions.get(sessionId))?.openRun === null);
    expect(await resultOf(second, sessionId)).toMatchObject({
      success: true,
      result: { value: { ok: false }, state: null, questions: 1, expired: true },
    });
    expect(await answersOf(second, sessionId)).toEqual([{ value: { ok: false }, expired: true }]);
    expect((await store.sessions.get(sessionId))?.wakeAt).toBe(null);
    await expect(second.answer(sessionId, "c1", { ok: true })).rejects.toMatchObject({
      code: "already_answered",
    });
  });

  it("F26 is woken by a timer of the process that asked, without a sweep, and by none after a drain", async () => {
    for (const drains of [false, true]) {
      const world = boot([asks]);
      const { sessionId } = await world.say("Go");
      if (drains) await world.pawl.drain();
      await world.clock.advance(60_001);
      const ended = (await world.of(sessionId, "run_ended")).length;
      expect(ended).toBe(drains ? 0 : 1);
    }
  });

  it("F26 leaves no timer behind that keeps a process alive, once it is drained or the run was stopped", async () => {
    for (const how of ["drain", "stop"] as const) {
      const clock = testClock();
      const timers = new Set<object>();
      const after: typeof clock.after = (ms, then) => {
        const timer = {};
        timers.add(timer);
        const cancel = clock.after(ms, () => {
          timers.delete(timer);
          then();
        });
        return () => {
          timers.delete(timer);
          cancel();
        };
      };
      const world = boot([clean(polling)], { clock: { ...clock, after } });
      const { sessionId } = await world.pawl.run("tester", { ...user, input: "Go" }).started;
      await stored(world, sessionId, "run_suspended");
      await clock.advance(0);
      await until(() => timers.size === 1);
      if (how === "drain") await world.pawl.drain();
      else await world.pawl.stop(sessionId, user);
      await until(() => timers.size === 0);
    }
  });

  it("F26 takes an answer until its default is stored, and then refuses every other", async () => {
    const world = boot([asks]);
    const { clock } = world;
    const { sessionId } = await world.say("Go");
    const late = boot([asks], { clock, store: world.store, left: script.slice(1) });
    await world.pawl.drain();
    await clock.advance(3_600_000);
    await late.answer(sessionId, "c1", { ok: true });
    expect(await answersOf(late, sessionId)).toEqual([{ value: { ok: true }, expired: undefined }]);
    expect(await late.pawl.sweep()).toBe(0);
    expect(await resultOf(late, sessionId)).toMatchObject({ result: { value: { ok: true } } });
  });

  it.each(["before", "after"])(
    "F26 counts one of an answer and a default that race: the answer comes %s",
    async (when) => {
      const clock = testClock();
      const base = memoryStore({ now: clock.now });
      const other = boot([asks], { clock, store: base, left: script.slice(1) });
      let answered: Promise<unknown> = Promise.resolve();
      const racing = beforeAppend(base, async (events, sessionId) => {
        if (!events.some(({ type, data }) => type === "tool_answered" && data.expired)) return;
        const send = () => other.answer(sessionId, "c1", { ok: true });
        if (when === "before") {
          answered = send();
          await stored(other, sessionId, "tool_answered");
        } else answered = Promise.resolve().then(send);
        answered.catch(() => undefined);
      });
      const world = boot([asks], { clock, store: racing });
      const { sessionId } = await world.say("Go");
      await clock.advance(60_001);
      await until(async () => (await base.sessions.get(sessionId))?.openRun === null);
      const counted = when === "before" ? { value: { ok: true } } : { value: { ok: false }, expired: true };
      expect(await answersOf(world, sessionId)).toEqual([{ expired: undefined, ...counted }]);
      expect(await resultOf(world, sessionId)).toMatchObject({ result: counted });
      if (when === "before") await answered;
      else await expect(answered).rejects.toMatchObject({ code: "already_answered" });
    },
  );

  it("F26 is answered once by two processes that sweep at once", async () => {
    const first = boot([asks]);
    const { clock, store } = first;
    const { sessionId } = await first.say("Go");
    await first.pawl.drain();
    await clock.advance(60_001);
    const processes = [0, 1, 2].map(() => boot([asks], { clock, store, left: script.slice(1) }));
    const resumed = await Promise.all(processes.map(({ pawl }) => pawl.sweep()));
    expect(resumed.reduce((sum, one) => sum + one)).toBe(1);
    await until(async () => (await store.sessions.get(sessionId))?.openRun === null);
    expect(await answersOf(first, sessionId)).toHaveLength(1);
    expect(await resultOf(first, sessionId)).toMatchObject({ success: true });
  });

  it.each(["tool_answered", "tool_started", "tool_result"])("F26 P1 survives a crash at %s", async (dies) => {
    const clock = testClock();
    let afterDeathMs = 0;
    const base = memoryStore({ now: () => clock.now() + afterDeathMs });
    let due = false;
    const dying = dyingStore(base, (events) => due && has(events, dies));
    const idempotent = clean(asking, { idempotent: true });
    const first = boot([idempotent], { clock, store: dying });
    const { sessionId } = await first.say("Go");
    due = true;
    await clock.advance(60_001);
    expect(dying.dead).toBe(true);
    // The dead process's own clock stands still, so that it does not renew its lease.
    afterDeathMs = 60_000;
    const next = boot([idempotent], { store: base, left: script.slice(1) });
    await next.pawl.sweep();
    await until(async () => (await base.sessions.get(sessionId))?.openRun === null);
    expect(await answersOf(next, sessionId)).toEqual([{ value: { ok: false }, expired: true }]);
    expect(await resultOf(next, sessionId)).toMatchObject({ success: true });
  });

  it("F26 waits for the first of several to expire, then for the next, and an answer changes neither", async () => {
    const both: Reply[] = [
      {
        tools: [
          { name: "clean", id: "c1" },
          { name: "late", id: "c2" },
          { name: "never", id: "c3" },
        ],
      },
      { text: "Ok." },
    ];
    const more = (name: string, limit?: object) =>
      tool({ name, description: "", input: nothing, suspends: { answer: yes, ...limit } });
    const late = more("late", { expires: { afterMs: 120_000, default: { ok: true } } });
    const tools = [asks, late, more("never")];
    const world = boot(tools, { left: both });
    const { clock, store } = world;
    const wakeAt = async () => (await store.sessions.get(sessionId))?.wakeAt;
    const { sessionId } = await world.say("Go");
    const began = clock.now();
    expect(await wakeAt()).toBe(new Date(began + 60_000).toISOString());
    await clock.advance(60_001);
    expect(await answersOf(world, sessionId)).toHaveLength(1);
    expect(await wakeAt()).toBe(new Date(began + 120_000).toISOString());
    await world.answer(sessionId, "c2", { ok: false });
    expect(await wakeAt()).toBe(null);
    expect((await store.sessions.get(sessionId))?.status).toBe("suspended");
    await clock.advance(3_600_000);
    await world.answer(sessionId, "c3", { ok: true });
    expect(await answersOf(world, sessionId)).toEqual([
      { value: { ok: false }, expired: true },
      { value: { ok: false }, expired: undefined },
      { value: { ok: true }, expired: undefined },
    ]);
    expect(await resultOf(world, sessionId)).toMatchObject({ success: true });
  });

  it("F26 goes by the store's clock, whatever the clock of the process says", async () => {
    for (const skewMs of [-3_600_000, 3_600_000]) {
      const clock = testClock();
      const store = memoryStore({ now: () => clock.now() + skewMs });
      const first = boot([asks], { clock, store });
      const { sessionId } = await first.say("Go");
      await first.pawl.drain();
      const next = boot([asks], { clock, store, left: script.slice(1) });
      await clock.advance(59_999);
      expect(await next.pawl.sweep()).toBe(0);
      await clock.advance(1);
      expect(await next.pawl.sweep()).toBe(1);
      await until(async () => (await store.sessions.get(sessionId))?.openRun === null);
      expect(await answersOf(next, sessionId)).toEqual([{ value: { ok: false }, expired: true }]);
    }
  });

  it("F26 is closed by a message and by a stop, like any question", async () => {
    for (const stops of [false, true]) {
      const world = boot([asks]);
      const { sessionId } = await world.say("Go");
      if (stops) await world.pawl.stop(sessionId, user);
      else await world.say("Never mind", { sessionId });
      await world.clock.advance(3_600_000);
      expect(await answersOf(world, sessionId)).toEqual([{ value: null, expired: undefined }]);
      expect((await world.store.sessions.get(sessionId))?.wakeAt).toBe(null);
    }
  });
});
