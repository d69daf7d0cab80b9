import { randomUUID } from "node:crypto";
import type { Reservation, ReservationRequest, Reservations } from "@pawl/core/store";

/** One check of reservations. */
export interface ReservationCheck {
  name: string;
  run(bench: ReservationBench): Promise<void>;
}

/** An implementation of {@link Reservations}, with helpers for the checks. */
export interface ReservationBench {
  reservations: Reservations;
  /** Advances the reservations' clock by `ms` milliseconds. */
  wait(ms: number): Promise<void>;
  /** Returns the name of a new account. */
  account(): string;
  /** Returns a request with a new id. Default: 10 of a budget of 100, held for longer than a case takes. */
  request(request: Partial<ReservationRequest> & { account: string }): ReservationRequest;
}

/** Returns an implementation with helpers for the checks. */
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

/** Returns the fields of a reservation that the checks compare. */
export const told = (one: Reservation | undefined): unknown[] | undefined =>
  one && [one.state, one.amount, one.used];

/** A short lifetime in milliseconds, and a time after which a reservation with this lifetime has expired. */
export const SHORT: number = 30;
export const LONGER: number = 60;
