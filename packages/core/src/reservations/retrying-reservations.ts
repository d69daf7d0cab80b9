import type { Clock } from "../base/clock.ts";
import { tryAgain } from "../base/try-again.ts";
import type { Reservations } from "./reservations.ts";

/** The methods that a run uses. */
type ReservationCalls = Pick<Reservations, "reserve" | "renew" | "abort" | "finalize">;

/**
 * Wraps reservations so that every call is retried while their store is unavailable. `delaysMs` are the
 * delays between the attempts, in milliseconds.
 */
export function retryingReservations(
  reservations: Reservations,
  delaysMs: readonly number[],
  clock: Clock,
): ReservationCalls {
  const retried = <T>(call: () => Promise<T>) => tryAgain(clock, delaysMs, call);
  return {
    reserve: (request) => retried(() => reservations.reserve(request)),
    renew: (id, used, ttlMs) => retried(() => reservations.renew(id, used, ttlMs)),
    abort: (id, used) => retried(() => reservations.abort(id, used)),
    finalize: (id, used) => retried(() => reservations.finalize(id, used)),
  };
}
