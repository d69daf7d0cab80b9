import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { Engine, EngineWorker, WokenHandler } from "@pawl/core/store";

/** One check of an engine. */
export interface EngineCheck {
  name: string;
  run(bench: EngineBench): Promise<void>;
}

/** An engine, with helpers for the checks. */
export interface EngineBench {
  engine: Engine;
  /** Returns the id of a session that no other check uses. */
  session(): string;
  /** Starts a worker. Default of `concurrency`: 10. */
  work(handler: WokenHandler, concurrency?: number): Promise<EngineWorker>;
  /** Waits until something holds; fails once the engine's patience is over. */
  until(what: string, holds: () => boolean): Promise<void>;
  /** Stops all workers. */
  stop(): Promise<void>;
}

/** A handler that can be watched and held. */
export interface WatchedHandler {
  handler: WokenHandler;
  /** The sessions for which the handler was called, in order. */
  readonly calls: string[];
  /** The number of calls in progress, and the most that there have been. */
  readonly active: { now: number; most: number };
  /** Lets all calls return, also later ones. */
  release(): void;
}

/** Makes a handler. If it is held, its calls return once they are released. */
export function watchedHandler({ held = false }: { held?: boolean } = {}): WatchedHandler {
  const gate = Promise.withResolvers<void>();
  if (!held) gate.resolve();
  const calls: string[] = [];
  const active = { now: 0, most: 0 };
  return {
    calls,
    active,
    release: () => gate.resolve(),
    handler: async ({ sessionId }) => {
      calls.push(sessionId);
      active.now += 1;
      active.most = Math.max(active.most, active.now);
      await gate.promise;
      active.now -= 1;
    },
  };
}

/** Returns an engine with helpers for the checks. */
export function engineBench(engine: Engine, patienceMs: number): EngineBench {
  const workers = new Set<EngineWorker>();
  return {
    engine,
    session: randomUUID,
    async work(handler, concurrency = 10) {
      const worker = await engine.work(handler, { concurrency });
      const stop = async () => {
        workers.delete(own);
        await worker.stop();
      };
      const own: EngineWorker = { stop };
      workers.add(own);
      return own;
    },
    async until(what, holds) {
      const endsAt = Date.now() + patienceMs;
      while (!holds()) {
        assert.ok(Date.now() < endsAt, `this did not happen within ${patienceMs} ms: ${what}`);
        await sleep(5);
      }
    },
    async stop() {
      await Promise.all([...workers].map((worker) => worker.stop()));
    },
  };
}
