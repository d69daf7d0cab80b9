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
): ReservationCalls {
  return {
    reserve: (request) => tryAgain(delaysMs, () => reservations.reserve(request)),
    renew: (id, used, ttlMs) => tryAgain(delaysMs, () => reservations.renew(id, used, ttlMs)),
    abort: (id, used) => tryAgain(delaysMs, () => reservations.abort(id, used)),
    finalize: (id, used) => tryAgain(delaysMs, () => reservations.finalize(id, used)),
  };
}
