import { PawlError } from "../base/errors.ts";
import { usdFromMicros } from "../base/usd.ts";
import { checkNames } from "../log/storable.ts";

/** How long a reservation is held without a renewal by default: five minutes, in milliseconds. */
export const RESERVATION_TTL_MS: number = 5 * 60_000;

/** The longest time to live, in milliseconds: a signed 32-bit integer, almost 25 days. */
const LONGEST_TTL_MS = 2 ** 31 - 1;

/**
 * A request to set part of a budget aside. All amounts are whole numbers from 0, in the unit of the account.
 * The hook `reservation()` counts tokens or, with `limitUsd` and `amountUsd`, millionths of a US dollar.
 */
export interface ReservationRequest {
  /** The budget's account, e.g. `user-1/2026-11`: a new month is a new account. 1 to 1,000 bytes of UTF-8. */
  account: string;
  /**
   * The reservation's id, chosen by the caller and unique among all accounts. A request that is repeated with
   * the same id counts once.
   */
  id: string;
  /** How much of the budget to set aside. */
  amount: number;
  /** The account's budget now. It is not stored: pass the current value with every request. */
  limit: number;
  /** How long the amount is held without a renewal, in milliseconds. Default: five minutes. */
  ttlMs?: number;
}

/** The answer to a request. */
export interface ReservationAnswer {
  /** Whether the amount was set aside. */
  granted: boolean;
  /** How much the account has left, `limit - used - held`. Negative if the account exceeds its limit. */
  available: number;
}

/**
 * A reservation in its current state:
 *
 * - `held`: its amount is set aside until `expiresAt`.
 * - `released`: it was aborted or expired, and nothing is set aside. It may be reserved again.
 * - `finalized`: nothing can change it any more.
 */
export interface Reservation {
  /** The account that is charged. */
  account: string;
  /** The reservation's id. */
  id: string;
  /** How much was set aside. */
  amount: number;
  /** The total that was charged to the account for this reservation. */
  used: number;
  /** The reservation's state. {@link Reservation} explains each. */
  state: "held" | "released" | "finalized";
  /** ISO 8601; only while it is held. */
  expiresAt?: string;
}

/** The charges of an account (`used`), and the amount that is set aside and not used yet (`held`). */
export interface Balance {
  /** The amount that was charged. */
  used: number;
  /** The amount that is set aside and not used yet. */
  held: number;
}

/**
 * Keeps shared budgets, of which parts are set aside before they are used. Every method is atomic: granted
 * reservations never add up to more than the limit, however many clients ask at the same time. `used` is
 * always a reservation's total so far, so every call may be repeated, e.g. if its answer was lost.
 *
 * Use is charged even after the reservation has expired, and even if it exceeds the amount set aside. So an
 * account may exceed its limit. Nothing is granted until it is below the limit again.
 *
 * Times are by the store's clock. Every method rejects with `invalid_input` for invalid names and numbers,
 * and with `store_unavailable` if the store fails. Test an implementation with `reservationsContract` of
 * `@pawl/testing`.
 */
export interface Reservations {
  /**
   * Sets `amount` aside if the budget has room for it. A request that is repeated while its reservation is
   * held is granted and changes nothing. After `abort` or expiry, a repeated request sets aside `amount` less
   * what was already used, if the budget has room.
   *
   * @throws PawlError `invalid_input` also if the id belongs to another account or is finalized.
   */
  reserve(request: ReservationRequest): Promise<ReservationAnswer>;
  /**
   * Charges `used`, the total that was used so far, and extends a held reservation to `ttlMs` milliseconds
   * from now; default: five minutes. Returns `undefined` if there is no such reservation.
   */
  renew(id: string, used: number, ttlMs?: number): Promise<Reservation | undefined>;
  /**
   * Charges `used`, the total that was used so far, and gives the rest back at once. Returns `undefined` if
   * there is no such reservation.
   */
  abort(id: string, used: number): Promise<Reservation | undefined>;
  /**
   * Charges `used`, the total that was used, gives the rest back and closes the reservation. Later calls
   * change nothing. Returns `undefined` if there is no such reservation.
   */
  finalize(id: string, used: number): Promise<Reservation | undefined>;
  /**
   * Marks expired reservations of all accounts as released and returns their number. Calling it is optional:
   * expired reservations hold nothing in any case.
   */
  expire(): Promise<number>;
  /** Returns an account's balance. An account that was never used has 0 used and 0 held. */
  balance(account: string): Promise<Balance>;
}

/**
 * Checks a request to reserve, and fills in the default.
 *
 * @throws PawlError `invalid_input`
 *
 * @example
 * ```ts
 * import { checkRequest } from "@pawl/core/store";
 *
 * const request = checkRequest({ account: "ada/2026-11", id: "run-1", amount: 10, limit: 100 });
 * console.log(request.ttlMs); // 300000
 * ```
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
 * Checks the arguments of `renew`, `abort` and `finalize`.
 *
 * @throws PawlError `invalid_input`
 *
 * @example
 * ```ts
 * import { checkUse } from "@pawl/core/store";
 *
 * checkUse("run-1", 5); // does nothing
 * try {
 *   checkUse("run-1", -1);
 * } catch (error) {
 *   console.log(error); // PawlError: used must be a whole number from 0, not -1.
 * }
 * ```
 */
export function checkUse(id: string, used: number, ttlMs: number = RESERVATION_TTL_MS): void {
  checkNames(id);
  checkAmount("used", used);
  checkTtl(ttlMs);
}

function checkAmount(name: string, amount: number): void {
  if (Number.isSafeInteger(amount) && amount >= 0) return;
  throw new PawlError("invalid_input", `${name} must be a whole number from 0, not ${String(amount)}.`);
}

function checkTtl(ttlMs: number): void {
  if (Number.isSafeInteger(ttlMs) && ttlMs >= 1 && ttlMs <= LONGEST_TTL_MS) return;
  throw new PawlError(
    "invalid_input",
    `ttlMs must be a whole number from 1 to ${LONGEST_TTL_MS}, not ${String(ttlMs)}.`,
  );
}

/**
 * Returns the error for an id that cannot be reserved.
 *
 * @example
 * ```ts
 * import { notReservable } from "@pawl/core/store";
 *
 * console.log(notReservable("finalized").message); // This reservation is finalized. Use a new id.
 * ```
 */
export function notReservable(why: "finalized" | "foreign"): PawlError {
  const message =
    why === "finalized"
      ? "This reservation is finalized. Use a new id."
      : "This id belongs to a reservation of another account. Ids must be unique among all accounts.";
  return new PawlError("invalid_input", message);
}

/** The {@link Balance} of an account in US dollars. */
export interface BalanceUsd {
  usedUsd: number;
  heldUsd: number;
}

/**
 * Returns the balance of an account in US dollars. The account must count money in millionths of a US
 * dollar, as `reservation({ limitUsd, amountUsd })` does.
 *
 * @throws PawlError `invalid_input`, `store_unavailable`
 *
 * @example
 * ```ts
 * import { memoryReservations } from "@pawl/core";
 * import { balanceUsd } from "@pawl/core/store";
 *
 * console.log(await balanceUsd(memoryReservations(), "user-1/2026-11")); // { usedUsd: 0, heldUsd: 0 }
 * ```
 */
export async function balanceUsd(reservations: Reservations, account: string): Promise<BalanceUsd> {
  const { used, held } = await reservations.balance(account);
  return { usedUsd: usdFromMicros(used), heldUsd: usdFromMicros(held) };
}
