import type { Slots } from "../../base/slots.ts";
import type { Session } from "../../log/session-row.ts";
import type { SessionState } from "../../session/state.ts";
import type { ActiveLeg, BegunBy, Host, Place } from "./host.ts";
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

/** Wakes the session by the engine once its lease is released. */
export function giveAway(
  host: Host,
  { id, userId }: Session,
  state: SessionState,
  released: Promise<void>,
): ActiveLeg {
  const wake = async () => {
    await released;
    // If the engine is gone, a sweep finds the session.
    await host.engine?.wake(id, { userId }).catch(host.report);
    return { state, settled: false };
  };
  const done = wake();
  host.keepAlive(done);
  const nothing = () => undefined;
  return { done, catchUp: async () => undefined, abort: nothing, leave: nothing };
}
