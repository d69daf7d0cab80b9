import { type EventStore, messageOf, PawlError } from "@pawl/core";
import { backoff } from "@pawl/core/model";
import type { AppendOptions } from "@pawl/core/store";
import type { SqliteStore } from "@pawl/sqlite";

/** The part of `ctx.storage` that sets the object's alarm. */
export interface AlarmStorage {
  /** Sets the alarm, in place of an earlier one, to a time in milliseconds since 1970. */
  setAlarm(at: number): Promise<void>;
}

/** A store that sets the object's alarm. */
export interface WakingStore {
  store: EventStore;
  /**
   * To be called when the alarm has rung, with a function that resumes runs. Sets the next alarm, if a run
   * needs one.
   */
  rung(sweep: () => Promise<unknown>): Promise<void>;
}

/** The longest pause before a run that could not be resumed is tried again, in milliseconds. */
const LONGEST_PAUSE_MS = 10 * 60_000;

/**
 * Wraps a store so that the object's alarm rings when a run needs it: when a lease expires without being
 * renewed, or at the time for which a run waits. Acquiring a lease, or starting a run, returns only
 * after the alarm is set, so it rings even if the object dies in the middle of what follows.
 *
 * The next time is always read from the log. Memory only has the time to which the alarm is set, so that an
 * alarm that would ring later is not set again.
 */
export function wakingStore(
  log: SqliteStore,
  storage: AlarmStorage,
  { agents, leaseTtlMs }: { agents: () => readonly string[]; leaseTtlMs: number },
): WakingStore {
  let setTo: number | undefined;
  let failures = 0;
  const set = async (at: number) => {
    if (setTo !== undefined && setTo <= at) return;
    setTo = at;
    try {
      await storage.setAlarm(at);
    } catch (cause) {
      setTo = undefined;
      throw new PawlError("store_unavailable", `The alarm cannot be set: ${messageOf(cause)}`, { cause });
    }
  };
  const due = async (after?: number) => {
    const later = after !== undefined && { after: new Date(after).toISOString() };
    const next = await log.nextDue({ agents: agents(), ...later });
    return next === undefined ? undefined : Date.parse(next);
  };
  const arm = async () => {
    const next = await due();
    if (next !== undefined) await set(Math.max(next, Date.now()));
  };
  const { open } = log;
  return {
    store: {
      ...log,
      ...(open && {
        async open(wanted) {
          const opened = await open(wanted);
          if (opened?.lease !== undefined) await arm();
          return opened;
        },
      }),
      async acquire(sessionId, holder, ttlMs) {
        const lease = await log.acquire(sessionId, holder, ttlMs);
        if (lease !== undefined) await arm();
        return lease;
      },
      async append(sessionId, events, options) {
        const rows = await log.append(sessionId, events, options);
        if (mayNeedProcess(options)) await arm();
        return rows;
      },
      async release(lease) {
        await log.release(lease);
        await arm();
      },
    },
    async rung(sweep) {
      setTo = undefined;
      try {
        await sweep();
      } finally {
        const now = Date.now();
        const next = await due();
        const isOverdue = next !== undefined && next <= now;
        failures = isOverdue ? failures + 1 : 0;
        // Not random: the objects of other users ring at times of their own.
        const pauseMs = backoff(failures, { baseMs: leaseTtlMs, maxMs: LONGEST_PAUSE_MS, jitter: 0 });
        // A run that could not be resumed does not delay the next one.
        const later = isOverdue ? Math.min(now + pauseMs, (await due(now)) ?? now + pauseMs) : next;
        if (later !== undefined) await set(later);
      }
    },
  };
}

/** Returns whether a run may need a process after an append, or at another time than before. */
function mayNeedProcess({ release, session = {} }: AppendOptions): boolean {
  const { wakes, wakeAt, openRun } = session;
  return release === true || wakes === true || typeof wakeAt === "string" || typeof openRun === "string";
}
