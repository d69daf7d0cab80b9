import { withinDeadline } from "../../base/deadline.ts";
import type { Slots } from "../../base/slots.ts";
import type { Session } from "../../log/session-row.ts";
import type { SessionLog } from "../../loop/leg/session-log.ts";
import type { Host, LegOptions, Place, Work } from "./host.ts";
import { isTaskSession } from "./task-session.ts";

/** A place that does not count towards `concurrency`. */
export const UNCOUNTED_PLACE: Place = { leave: () => undefined };

/** Takes a place if one is free; otherwise returns `undefined`. */
export function takePlace(slots: Slots): Place | undefined {
  const leave = slots.tryTake();
  return leave && { leave };
}

/**
 * Returns the place for a leg in this process; `undefined` if the run must be given to the engine. Three
 * kinds of runs get a place that is not counted: without an engine, all runs; a run with credentials, because
 * no other process has them; a sub-agent's run, because its caller has a place and waits for it.
 */
export function placeFor(
  { engine, slots }: Host,
  session: Session,
  { credentials, place }: LegOptions,
): Place | undefined {
  if (place !== undefined) return place;
  if (engine === undefined || credentials !== undefined || isTaskSession(session)) return UNCOUNTED_PLACE;
  // An exclusive engine chooses the process for each run.
  return engine.isExclusive ? undefined : takePlace(slots);
}

/** How long an engine may take to store a wake in a transaction, in milliseconds. A message waits for it. */
const WAKE_MS = 2_000;

/**
 * Returns a function that wakes the session in a transaction of the store; `undefined` if the engine takes no
 * transactions.
 */
export function wakeInTransaction(
  { engine, clock, report }: Host,
  { id, userId }: Session,
): ((transaction: unknown) => Promise<void>) | undefined {
  if (engine?.takesTransaction !== true) return undefined;
  return async (transaction) => {
    try {
      await withinDeadline({ clock, timeoutMs: WAKE_MS }, engine.wake(id, { userId, transaction }));
    } catch (error) {
      // The message is then stored without the wake. Only this report shows that such transactions fail.
      report(error);
      throw error;
    }
  };
}

/** Has the engine wake the session once `released` resolves, unless an append has already woken it. */
export function giveAway(
  host: Host,
  { id, userId }: Session,
  log: SessionLog,
  released: Promise<void>,
): Work {
  const wake = async () => {
    await released;
    // If the engine is unavailable, a sweep finds the session.
    if (!log.isGivenAway) await host.engine?.wake(id, { userId }).catch(host.report);
    return { state: log.state, settled: false };
  };
  const done = wake();
  host.keepAlive(done);
  const ignore = () => undefined;
  return { done, catchUp: async () => undefined, abort: ignore, leave: ignore };
}
