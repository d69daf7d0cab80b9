import { type Clock, systemClock } from "../base/clock.ts";
import { newSlots, type Slots } from "../base/slots.ts";
import type { Engine, WokenHandler } from "./engine.ts";
import {
  addWaiting,
  endWork,
  newFairQueue,
  removeWaiting,
  takeWaiting,
  type WaitingSession,
} from "./fair-queue.ts";

/**
 * Makes an engine that wakes sessions in this process, and keeps its wakes in memory. Users take turns,
 * however many sessions each one has, and so do the sessions of a user. A runtime with the option
 * `concurrency` and without `engine` uses this engine.
 *
 * @example
 * ```ts
 * import { localEngine } from "@pawl/core/store";
 *
 * const engine = localEngine();
 * const worker = await engine.work(async ({ sessionId }) => console.log(sessionId), { concurrency: 1 });
 * await engine.wake("s1", { userId: "ada" }); // s1
 * await engine.wake("s2", { userId: "ada" }); // s2
 * await worker.stop();
 * ```
 */
export function localEngine({ clock = systemClock }: { clock?: Clock } = {}): Engine {
  return engineInMemory(clock, newSlots(Number.POSITIVE_INFINITY));
}

/** Makes a local engine. Each call of a handler takes a place of `slots`. Sessions wait until one is free. */
export function engineInMemory(clock: Clock, slots: Slots): Engine {
  const queue = newFairQueue();
  const workers = new Set<Worker>();
  const wakeNow = (waiting: WaitingSession) => {
    addWaiting(queue, waiting);
    startCalls();
  };
  const timers = newTimers(clock, wakeNow);
  /** Calls handlers while sessions wait and places are free. */
  const startCalls = () => {
    for (const worker of workers) {
      while (worker.active.size < worker.concurrency && queue.users.size > 0) {
        const freePlace = slots.tryTake();
        if (freePlace === undefined) return;
        const next = takeWaiting(queue);
        if (next === undefined) return freePlace();
        const call = callWith(worker.handler, next);
        worker.active.add(call);
        void call.then(() => {
          worker.active.delete(call);
          freePlace();
          startCalls();
        });
      }
    }
  };
  const callWith = async (handler: WokenHandler, waiting: WaitingSession): Promise<void> => {
    const { sessionId } = waiting;
    // A handler must not reject. If one does, its session is woken again a little later.
    await handler({ sessionId }).catch(() => timers.set(waiting, clock.now() + RETRY_MS));
    endWork(queue, sessionId);
  };
  slots.onFree(startCalls);
  return {
    wake: async (sessionId, { afterMs = 0, userId = "" } = {}) => {
      if (afterMs > 0) timers.set({ sessionId, userId }, clock.now() + afterMs);
      else wakeNow({ sessionId, userId });
    },
    cancel: async (sessionId) => {
      timers.cancel(sessionId);
      removeWaiting(queue, sessionId);
    },
    work: async (handler, { concurrency }) => {
      const worker: Worker = { handler, concurrency, active: new Set() };
      workers.add(worker);
      startCalls();
      return {
        stop: async () => {
          workers.delete(worker);
          await Promise.all(worker.active);
        },
      };
    },
  };
}

/** How long after a handler has rejected its session is woken again, in milliseconds. */
const RETRY_MS = 1_000;

interface Worker {
  handler: WokenHandler;
  concurrency: number;
  active: Set<Promise<void>>;
}

/** Makes timers that call `wake`. A session has at most one timer: the earliest that was set. */
function newTimers(clock: Clock, wake: (waiting: WaitingSession) => void) {
  const timers = new Map<string, { at: number; cancel(): void }>();
  return {
    set: (waiting: WaitingSession, at: number): void => {
      const { sessionId } = waiting;
      const current = timers.get(sessionId);
      if (current !== undefined && current.at <= at) return;
      current?.cancel();
      const fire = () => {
        timers.delete(sessionId);
        wake(waiting);
      };
      timers.set(sessionId, { at, cancel: clock.after(at - clock.now(), fire, { background: true }) });
    },
    cancel: (sessionId: string): void => {
      timers.get(sessionId)?.cancel();
      timers.delete(sessionId);
    },
  };
}
