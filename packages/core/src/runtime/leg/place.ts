import { withinDeadline } from "../../base/deadline.ts";
import type { Slots } from "../../base/slots.ts";
import type { Session } from "../../log/session-row.ts";
import type { SessionLog } from "../../loop/leg/session-log.ts";
import type { BegunBy, Host, Place, Work } from "./host.ts";
import { isTaskSession } from "./task-session.ts";

/** A place that does not count. */
export const FREE_PLACE: Place = { leave: () => undefined };

/** Takes a place that is free. */
export function takePlace(slots: Slots): Place | undefined {
  const leave = slots.tryTake();
  return leave && { leave };
}

/**
 * Returns the place for a leg in this process; `undefined` if the engine has to find one. A run with
 * credentials stays here, because no other process has them. So does a sub-agent, whose caller has a place
 * and waits for it.
 */
export function placeFor(
  { engine, slots }: Host,
  session: Session,
  { credentials, place }: BegunBy,
): Place | undefined {
  if (place !== undefined) return place;
  if (engine === undefined || credentials !== undefined || isTaskSession(session)) return FREE_PLACE;
  return engine.isExclusive ? undefined : takePlace(slots);
}

/** How long an engine may take to store a wake in a transaction, in milliseconds. A message waits for it. */
const WAKE_MS = 2_000;

/** Returns a function that wakes the session in a transaction of the store, if the engine can. */
export function wakeInTransaction(
  { engine, clock, report }: Host,
  { id, userId }: Session,
): ((transaction: unknown) => Promise<void>) | undefined {
  if (engine?.takesTransaction !== true) return undefined;
  return async (transaction) => {
    try {
      await withinDeadline({ clock, timeoutMs: WAKE_MS }, engine.wake(id, { userId, transaction }));
    } catch (error) {
      // The message is then stored alone, so nobody would learn that such transactions always fail.
      report(error);
      throw error;
    }
  };
}

/** Has the engine wake the session once its lease is released, unless an append has done both. */
export function giveAway(
  host: Host,
  { id, userId }: Session,
  log: SessionLog,
  released: Promise<void>,
): Work {
  const wake = async () => {
    await released;
    // If the engine is gone, a sweep finds the session.
    if (!log.isGivenAway) await host.engine?.wake(id, { userId }).catch(host.report);
    return { state: log.state, settled: false };
  };
  const done = wake();
  host.keepAlive(done);
  const nothing = () => undefined;
  return { done, catchUp: async () => undefined, abort: nothing, leave: nothing };
}
