import { randomUUID } from "node:crypto";
import type { Reservation, ReservationRequest, Reservations } from "@pawl/core/store";

/** One thing that reservations have to do. */
export interface ReservationCheck {
  name: string;
  run(bench: ReservationBench): Promise<void>;
}

/** Reservations with what every check needs around them. */
export interface ReservationBench {
  reservations: Reservations;
  /** Lets time go by on their clock. */
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

/** What matters of a reservation. */
export const told = (one: Reservation | undefined): unknown[] | undefined =>
  one && [one.state, one.amount, one.used];

/** A time in milliseconds, and one in which it is over for sure. */
export const SHORT: number = 30;
export const LONGER: number = 60;
