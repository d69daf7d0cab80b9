import { type Clock, systemClock } from "../base/clock.ts";
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
  /** The sessions that wait, by user. The user whose turn is next comes first. */
  const lines = new Map<string, Set<string>>();
  /** The sessions at work, and those that were woken meanwhile, with their user. */
  const atWork = new Map<string, { again: string | undefined }>();
  const timers = new Map<string, { at: number; cancel(): void }>();
  const workers = new Set<Worker>();

  const wakeNow = (sessionId: string, userId: string) => {
    const active = atWork.get(sessionId);
    if (active !== undefined) {
      active.again = userId;
      return;
    }
    const line = lines.get(userId) ?? new Set();
    lines.set(userId, line.add(sessionId));
    takeNext();
  };
  const wakeLater = (sessionId: string, userId: string, at: number) => {
    const earlier = timers.get(sessionId);
    if (earlier !== undefined && earlier.at <= at) return;
    earlier?.cancel();
    const ring = () => {
      timers.delete(sessionId);
      wakeNow(sessionId, userId);
    };
    const cancel = clock.after(at - clock.now(), ring, { background: true });
    timers.set(sessionId, { at, cancel });
  };
  const takeNext = () => {
    for (const worker of workers) {
      while (worker.active.size < worker.concurrency) {
        const next = nextIn(lines);
        if (next === undefined) return;
        const call = callWith(worker.handler, next.sessionId, next.userId);
        worker.active.add(call);
        void call.then(() => {
          worker.active.delete(call);
          takeNext();
        });
      }
    }
  };
  const callWith = async (handler: WokenHandler, sessionId: string, userId: string): Promise<void> => {
    const active: { again: string | undefined } = { again: undefined };
    atWork.set(sessionId, active);
    // A handler does not reject. If one does, the session is not lost.
    await handler({ sessionId }).catch(() => wakeLater(sessionId, userId, clock.now() + RETRY_MS));
    atWork.delete(sessionId);
    if (active.again !== undefined) wakeNow(sessionId, active.again);
  };
  return {
    wake: async (sessionId, { at, userId = "" } = {}) => {
      const time = at === undefined ? Number.NEGATIVE_INFINITY : Date.parse(at);
      if (time > clock.now()) wakeLater(sessionId, userId, time);
      else wakeNow(sessionId, userId);
    },
    cancel: async (sessionId) => {
      timers.get(sessionId)?.cancel();
      timers.delete(sessionId);
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
