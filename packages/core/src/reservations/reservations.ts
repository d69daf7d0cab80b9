import { PawlError } from "../base/errors.ts";
import { checkNames } from "../log/storable.ts";

/**
 * How long a reservation is held without being renewed, in milliseconds, unless said otherwise: five minutes.
 */
export const RESERVATION_TTL_MS: number = 5 * 60_000;

/** The longest that can be asked for: what a signed integer of 32 bits holds, almost 25 days. */
const LONGEST_TTL_MS = 2 ** 31 - 1;

/**
 * What is to be set aside. All amounts are whole numbers from 0, in the unit of the account. `reservation()`
 * counts tokens, or millionths of a US dollar for `limitUsd` and `amountUsd`; see `balanceUsd()`.
 */
export interface ReservationRequest {
  /** Whose budget, e.g. `user-1/2026-11`: a new month is a new account. 1 to 1,000 bytes of UTF-8. */
  account: string;
  /** The caller's own, unique among all accounts: a request that is repeated under it counts once. */
  id: string;
  /** How much of the budget this may take. */
  amount: number;
  /**
   * How large the account's budget is now. It is not stored: what it is worth is the application's to know.
   */
  limit: number;
  /** How long it is held without being renewed; default {@link RESERVATION_TTL_MS}. */
  ttlMs?: number;
}

/**
 * `available` is what the account has left, `limit - used - held`; below 0 where more was used than had been
 * reserved.
 */
export interface ReservationAnswer {
  granted: boolean;
  available: number;
}

/**
 * A reservation as it is. `held`: its amount is set aside until `expiresAt`. `released`: aborted or expired,
 * nothing is set aside; it may be reserved again. `finalized`: that was the last word.
 */
export interface Reservation {
  account: string;
  id: string;
  amount: number;
  /** What the account is charged with, in all. */
  used: number;
  state: "held" | "released" | "finalized";
  /** ISO 8601; of a held one only. */
  expiresAt?: string;
}

/** What an account is charged with, and what is set aside in it and not used yet. */
export interface Balance {
  used: number;
  held: number;
}

/**
 * Budgets of which parts are set aside before they are used. Every method is atomic, and granted reservations
 * never add up to more than the limit, whoever asks at the same time. `used` is always the whole of what a
 * reservation has used so far and never shrinks, so every call may be repeated, and an answer that was lost
 * is had again.
 *
 * What was used is charged, whatever became of the reservation: also after it has expired, and also where it
 * is more than was set aside. Then the account may be over its limit, and nothing is granted until it no
 * longer is.
 *
 * Time is the store's. Every method rejects with `invalid_input` for names and numbers that are none, and
 * with `store_unavailable` where the store fails. `reservationsContract` of `@pawl/testing` judges an
 * implementation.
 */
export interface Reservations {
  /**
   * Sets `amount` aside if the budget has room for it. Repeated while it is held it changes nothing and is
   * granted. After `abort`, or when it has expired, it sets the rest aside again, `amount` less what was
   * used, if there is room.
   *
   * @throws PawlError `invalid_input` also where the id is another account's, or finalized.
   */
  reserve(request: ReservationRequest): Promise<ReservationAnswer>;
  /**
   * Charges what was used so far, and if it is still held, holds it for `ttlMs` from now. `undefined`: no
   * such reservation.
   */
  renew(id: string, used: number, ttlMs?: number): Promise<Reservation | undefined>;
  /** Charges what was used so far and gives the rest back at once. `undefined`: no such reservation. */
  abort(id: string, used: number): Promise<Reservation | undefined>;
  /**
   * Charges what was used, gives the rest back, and is the last word: nothing changes it. `undefined`: no
   * such reservation.
   */
  finalize(id: string, used: number): Promise<Reservation | undefined>;
  /**
   * Writes down what has expired, in all accounts; how many. Nobody has to call it: what has expired counts
   * for nothing anyway.
   */
  expire(): Promise<number>;
  /** What an account nobody has used says is 0 and 0. */
  balance(account: string): Promise<Balance>;
}

/**
 * Checks a request to reserve, and fills in the default.
 *
 * @throws PawlError `invalid_input`
 */
export function checkRequest(request: ReservationRequest): Required<ReservationRequest> {
  const { account, id, amount, limit, ttlMs = RESERVATION_TTL_MS } = request;
  checkNames(account, id);
  checkAmount("amount", amount);
  checkAmount("limit", limit);
  checkTtl(ttlMs);
  return { account, id, amount, limit, ttlMs };
}

/**
 * Checks what is said of a reservation.
 *
 * @throws PawlError `invalid_input`
 */
export function checkUse(id: string, used: number, ttlMs: number = RESERVATION_TTL_MS): void {
  checkNames(id);
  checkAmount("used", used);
  checkTtl(ttlMs);
}

function checkAmount(what: string, amount: number): void {
  if (Number.isSafeInteger(amount) && amount >= 0) return;
  throw new PawlError("invalid_input", `${what} must be a whole number from 0, not ${String(amount)}.`);
}

function checkTtl(ttlMs: number): void {
  if (Number.isSafeInteger(ttlMs) && ttlMs >= 1 && ttlMs <= LONGEST_TTL_MS) return;
  throw new PawlError(
    "invalid_input",
    `ttlMs must be a whole number from 1 to ${LONGEST_TTL_MS}, not ${String(ttlMs)}.`,
  );
}

/** Why an id cannot be reserved. */
export function notReservable(why: "finalized" | "foreign"): PawlError {
  const message =
    why === "finalized" ? "This reservation is finalized." : "This id is a reservation of another account.";
  return new PawlError("invalid_input", message);
}
