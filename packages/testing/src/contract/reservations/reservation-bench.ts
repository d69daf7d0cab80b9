import { randomUUID } from "node:crypto";
import type { Reservation, ReservationRequest, Reservations } from "@pawl/core/store";

/** One check of reservations. */
export interface ReservationCheck {
  name: string;
  run(bench: ReservationBench): Promise<void>;
}

/** Reservations with helpers for the checks. */
export interface ReservationBench {
  reservations: Reservations;
  /** Advances their clock. */
  wait(ms: number): Promise<void>;
  /** A new account's name. */
  account(): string;
  /** A request with a new id, for 10 of a budget of 100 that is held for long, unless said otherwise. */
  request(request: Partial<ReservationRequest> & { account: string }): ReservationRequest;
}

/** See {@link ReservationBench}. */
export function reservationBench(
  reservations: Reservations,
  wait: (ms: number) => Promise<void>,
): ReservationBench {
  return {
    reservations,
    wait,
    account: () => `user ${randomUUID()}/2026-11`,
    request: (request) => ({ id: randomUUID(), amount: 10, limit: 100, ttlMs: 600_000, ...request }),
  };
}

/** The compared fields of a reservation. */
export const told = (one: Reservation | undefined): unknown[] | undefined =>
  one && [one.state, one.amount, one.used];

/** A short ttl in milliseconds, and a time after which it has surely expired. */
export const SHORT: number = 30;
export const LONGER: number = 60;
