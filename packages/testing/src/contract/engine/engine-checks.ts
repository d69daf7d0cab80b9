import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";
import { range } from "../base/bench.ts";
import { type EngineCheck, watchedHandler } from "./engine-bench.ts";

/** How long to wait for something that should not happen, in milliseconds. */
const QUIET_MS = 150;

/** Checks of waking sessions and of working for them. */
export const engineChecks: readonly EngineCheck[] = [
  {
    name: "Q1 a session that is woken reaches the handler of a worker",
    async run({ engine, session, work, until }) {
      const watched = watchedHandler();
      await work(watched.handler);
      const id = session();
      await engine.wake(id);
      await until("the handler is called", () => watched.calls.includes(id));
    },
  },
  {
    name: "Q1 a session that was woken before any worker began is not lost",
    async run({ engine, session, work, until }) {
      const watched = watchedHandler();
      const id = session();
      await engine.wake(id);
      await work(watched.handler);
      await until("the handler is called", () => watched.calls.includes(id));
    },
  },
  {
    name: "Q2 a wake during a call for the session leads to another call",
    async run({ engine, session, work, until }) {
      const watched = watchedHandler({ held: true });
      await work(watched.handler);
      const id = session();
      await engine.wake(id);
      await until("the handler is called", () => watched.calls.length === 1);
      await engine.wake(id);
      await engine.wake(id);
      watched.release();
      await until("the handler is called again", () => watched.calls.length >= 2);
    },
  },
  {
    name: "Q1 wakes that wait for a worker do not become a call each",
    async run({ engine, session, work, until }) {
      const id = session();
      for (const _ of range(1, 20)) await engine.wake(id);
      const watched = watchedHandler();
      await work(watched.handler);
      const other = session();
      await engine.wake(other);
      await until("both are called", () => watched.calls.includes(id) && watched.calls.includes(other));
      await sleep(QUIET_MS);
      const count = watched.calls.filter((called) => called === id).length;
      assert.ok(count <= 2, `20 wakes that waited became ${count} calls`);
    },
  },
  {
    name: "Q1 a wake for a time comes then, and not before",
    async run({ engine, session, work, until }) {
      const watched = watchedHandler();
      await work(watched.handler);
      const id = session();
      const other = session();
      await engine.wake(id, { afterMs: 1_500 });
      await engine.wake(other);
      await until("the session without a time is called", () => watched.calls.includes(other));
      await sleep(QUIET_MS);
      assert.ok(!watched.calls.includes(id), "the handler was called before the time had come");
      await until("the time has come", () => watched.calls.includes(id));
    },
  },
  {
    name: "Q1 a time that is past wakes at once",
    async run({ engine, session, work, until }) {
      const watched = watchedHandler();
      await work(watched.handler);
      const id = session();
      await engine.wake(id, { afterMs: -60_000 });
      await until("the handler is called", () => watched.calls.includes(id));
    },
  },
  {
    name: "Q2 a wake does not wait for one with a later time",
    async run({ engine, session, work, until }) {
      const watched = watchedHandler();
      await work(watched.handler);
      const id = session();
      await engine.wake(id, { afterMs: 3_600_000 });
      await engine.wake(id);
      await until("the handler is called", () => watched.calls.includes(id));
      const next = session();
      await engine.wake(next, { afterMs: 3_600_000 });
      await engine.wake(next, { afterMs: 100 });
      await until("the earlier time has come", () => watched.calls.includes(next));
      for (const one of [id, next]) await engine.cancel(one);
    },
  },
  {
    name: "Q1 a worker calls its handler for at most `concurrency` sessions at a time, and for all of them",
    async run({ engine, session, work, until }) {
      const watched = watchedHandler({ held: true });
      await work(watched.handler, 2);
      const ids = range(1, 7).map(() => session());
      for (const id of ids) await engine.wake(id);
      await until("two calls are in progress", () => watched.active.now === 2);
      await sleep(QUIET_MS);
      assert.equal(watched.active.most, 2);
      watched.release();
      await until("all are called", () => ids.every((id) => watched.calls.includes(id)));
      assert.equal(watched.active.most, 2);
    },
  },
  {
    name: "Q1 a worker that stops waits for its calls, and takes no more sessions",
    async run({ engine, session, work, until }) {
      const watched = watchedHandler({ held: true });
      const worker = await work(watched.handler);
      const id = session();
      await engine.wake(id);
      await until("the handler is called", () => watched.calls.length === 1);
      let isStopped = false;
      const stopping = worker.stop().then(() => {
        isStopped = true;
      });
      await sleep(QUIET_MS);
      assert.equal(isStopped, false, "stop() has resolved while a call is in progress");
      const other = session();
      await engine.wake(other);
      watched.release();
      await stopping;
      assert.deepEqual(watched.calls, [id]);
      const next = watchedHandler();
      await work(next.handler);
      await until("the next worker takes it", () => next.calls.includes(other));
    },
  },
  {
    name: "Q2 a session whose handler has failed is woken again",
    async run({ engine, session, work, until }) {
      const calls: string[] = [];
      const id = session();
      await work(async ({ sessionId }) => {
        if (sessionId !== id) return;
        calls.push(sessionId);
        if (calls.length === 1) throw new Error("failed");
      });
      await engine.wake(id);
      await until("the handler is called again", () => calls.length >= 2);
    },
  },
  {
    name: "Q1 two workers share the sessions, and each session reaches one of them at a time or more",
    async run({ engine, session, work, until }) {
      const first = watchedHandler();
      const second = watchedHandler();
      await work(first.handler, 2);
      await work(second.handler, 2);
      const ids = range(1, 20).map(() => session());
      await Promise.all(ids.map((id) => engine.wake(id)));
      const called = () => new Set([...first.calls, ...second.calls]);
      await until("all are called", () => ids.every((id) => called().has(id)));
    },
  },
  {
    name: "Q1 cancel() may be called for any session, and other sessions are still woken",
    async run({ engine, session, work, until }) {
      const watched = watchedHandler();
      const [gone, kept] = [session(), session()];
      await engine.cancel(gone);
      await engine.wake(gone, { afterMs: 3_600_000 });
      await engine.wake(kept);
      await engine.cancel(gone);
      await work(watched.handler);
      await until("the other one is called", () => watched.calls.includes(kept));
      await engine.wake(gone);
      await until("a later wake comes", () => watched.calls.includes(gone));
    },
  },
];
