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
 * Makes an engine that wakes sessions in this process, and keeps its wakes in memory. Users take turns, and
 * so do the sessions of a user, however many one of them has. A runtime with `concurrency` and without
 * `engine` has this one.
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

/** Makes a local engine that calls its handler while a place is free, and takes the place for the call. */
export function engineInMemory(clock: Clock, slots: Slots): Engine {
  const queue = newFairQueue();
  const workers = new Set<Worker>();
  const wakeNow = (waiting: WaitingSession) => {
    addWaiting(queue, waiting);
    takeNext();
  };
  const timers = newTimers(clock, wakeNow);
  const takeNext = () => {
    for (const worker of workers) {
      while (worker.active.size < worker.concurrency && queue.users.size > 0) {
        const leave = slots.tryTake();
        if (leave === undefined) return;
        const next = takeWaiting(queue);
        if (next === undefined) return leave();
        const call = callWith(worker.handler, next);
        worker.active.add(call);
        void call.then(() => {
          worker.active.delete(call);
          leave();
          takeNext();
        });
      }
    }
  };
  const callWith = async (handler: WokenHandler, waiting: WaitingSession): Promise<void> => {
    const { sessionId } = waiting;
    // A handler does not reject. If one does, the session is not lost.
    await handler({ sessionId }).catch(() => timers.set(waiting, clock.now() + RETRY_MS));
    endWork(queue, sessionId);
  };
  slots.onFree(takeNext);
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
      takeNext();
      return {
        stop: async () => {
          workers.delete(worker);
          await Promise.all(worker.active);
        },
      };
    },
  };
}

/** The pause before a session is woken again whose handler has rejected, in milliseconds. */
const RETRY_MS = 1_000;

interface Worker {
  handler: WokenHandler;
  concurrency: number;
  active: Set<Promise<void>>;
}

/** Keeps one timer for each session: the earliest. */
function newTimers(clock: Clock, ring: (waiting: WaitingSession) => void) {
  const timers = new Map<string, { at: number; cancel(): void }>();
  return {
    set: (waiting: WaitingSession, at: number): void => {
      const { sessionId } = waiting;
      const earlier = timers.get(sessionId);
      if (earlier !== undefined && earlier.at <= at) return;
      earlier?.cancel();
      const due = () => {
        timers.delete(sessionId);
        ring(waiting);
      };
      timers.set(sessionId, { at, cancel: clock.after(at - clock.now(), due, { background: true }) });
    },
    cancel: (sessionId: string): void => {
      timers.get(sessionId)?.cancel();
      timers.delete(sessionId);
    },
  };
}
