import { tryAgain } from "../base/try-again.ts";
import type { Reservations } from "./reservations.ts";

/** What a run asks of reservations. */
type ReservationCalls = Pick<Reservations, "reserve" | "renew" | "abort" | "finalize">;

/**
 * Reservations of which every call is made again when they were unavailable. `delaysMs` are the pauses
 * between the tries.
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
