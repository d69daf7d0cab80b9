import { type Clock, systemClock } from "../base/clock.ts";
import { newSlots, type Slots } from "../base/slots.ts";
import type { Engine, WokenHandler } from "./engine.ts";

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
  /** The sessions that wait, by user. The user whose turn is next comes first. */
  const lines = new Map<string, Set<string>>();
  /** The user in whose line a session waits. */
  const users = new Map<string, string>();
  /** The sessions at work, and those that were woken meanwhile, with their user. */
  const atWork = new Map<string, { again: string | undefined }>();
  const workers = new Set<Worker>();

  const wakeNow = (sessionId: string, userId: string) => {
    const active = atWork.get(sessionId);
    if (active !== undefined) {
      active.again = userId;
      return;
    }
    if (!users.has(sessionId)) {
      users.set(sessionId, userId);
      const line = lines.get(userId) ?? new Set();
      lines.set(userId, line.add(sessionId));
    }
    takeNext();
  };
  const timers = newTimers(clock, wakeNow);
  const takeNext = () => {
    for (const worker of workers) {
      while (worker.active.size < worker.concurrency && users.size > 0) {
        const leave = slots.tryTake();
        if (leave === undefined) return;
        const next = nextIn(lines);
        if (next === undefined) return leave();
        users.delete(next.sessionId);
        const call = callWith(worker.handler, next.sessionId, next.userId);
        worker.active.add(call);
        void call.then(() => {
          worker.active.delete(call);
          leave();
          takeNext();
        });
      }
    }
  };
  const callWith = async (handler: WokenHandler, sessionId: string, userId: string): Promise<void> => {
    const active: { again: string | undefined } = { again: undefined };
    atWork.set(sessionId, active);
    // A handler does not reject. If one does, the session is not lost.
    await handler({ sessionId }).catch(() => timers.set(sessionId, userId, clock.now() + RETRY_MS));
    atWork.delete(sessionId);
    if (active.again !== undefined) wakeNow(sessionId, active.again);
  };
  slots.onFree(takeNext);
  return {
    wake: async (sessionId, { afterMs = 0, userId = "" } = {}) => {
      if (afterMs > 0) timers.set(sessionId, userId, clock.now() + afterMs);
      else wakeNow(sessionId, userId);
    },
    cancel: async (sessionId) => {
      timers.cancel(sessionId);
      users.delete(sessionId);
      for (const line of lines.values()) line.delete(sessionId);
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
function newTimers(clock: Clock, ring: (sessionId: string, userId: string) => void) {
  const timers = new Map<string, { at: number; cancel(): void }>();
  return {
    set: (sessionId: string, userId: string, at: number): void => {
      const earlier = timers.get(sessionId);
      if (earlier !== undefined && earlier.at <= at) return;
      earlier?.cancel();
      const due = () => {
        timers.delete(sessionId);
        ring(sessionId, userId);
      };
      timers.set(sessionId, { at, cancel: clock.after(at - clock.now(), due, { background: true }) });
    },
    cancel: (sessionId: string): void => {
      timers.get(sessionId)?.cancel();
      timers.delete(sessionId);
    },
  };
}

/** Takes the next session of the user whose turn it is. That user then comes last. */
function nextIn(lines: Map<string, Set<string>>): { sessionId: string; userId: string } | undefined {
  for (const [userId, line] of lines) {
    lines.delete(userId);
    const [sessionId] = line;
    if (sessionId === undefined) continue;
    line.delete(sessionId);
    if (line.size > 0) lines.set(userId, line);
    return { sessionId, userId };
  }
  return undefined;
}
