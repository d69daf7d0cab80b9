// Money is a number of US dollars everywhere except in the log and in database columns (cents) and in
// reservations (millionths of a dollar). All conversions are here. See docs/decisions/0005-money.md.

/**
 * Returns the sum of two amounts in US dollars, exact to a billionth of a dollar: `addUsd(0.1, 0.2)` is 0.3.
 *
 * @example
 * ```ts
 * import { addUsd } from "@pawl/core/store";
 *
 * console.log([0.1, 0.2].reduce(addUsd, 0)); // 0.3
 * ```
 */
export function addUsd(a: number, b: number): number {
  return (nanos(a) + nanos(b)) / NANOS_PER_USD;
}

/** Subtracts the second amount from the first, in US dollars, exact to a billionth of a dollar. */
export function subtractUsd(a: number, b: number): number {
  return (nanos(a) - nanos(b)) / NANOS_PER_USD;
}

/**
 * Converts US cents, e.g. the `cost_cents` of an event, to US dollars, to the nearest billionth of a dollar.
 *
 * @example
 * ```ts
 * import { usdFromCents } from "@pawl/core";
 *
 * console.log(usdFromCents(0.08)); // 0.0008
 * ```
 */
export function usdFromCents(cents: number): number {
  return Math.round(cents * NANOS_PER_CENT) / NANOS_PER_USD;
}

/**
 * Converts US dollars to US cents, e.g. for the `cost_cents` of an event, to the nearest billionth of a
 * dollar.
 *
 * @example
 * ```ts
 * import { centsFromUsd } from "@pawl/core";
 *
 * console.log(centsFromUsd(0.0008)); // 0.08
 * ```
 */
export function centsFromUsd(usd: number): number {
  return nanos(usd) / NANOS_PER_CENT;
}

/** Converts millionths of a US dollar to US dollars, to the nearest billionth of a dollar. */
export function usdFromMicros(micros: number): number {
  return Math.round(micros * NANOS_PER_MICRO) / NANOS_PER_USD;
}

/** Converts US dollars to millionths of a US dollar, to the nearest billionth of a dollar. */
export function microsFromUsd(usd: number): number {
  return nanos(usd) / NANOS_PER_MICRO;
}

const NANOS_PER_USD = 1_000_000_000;
const NANOS_PER_CENT = 10_000_000;
const NANOS_PER_MICRO = 1_000;

/** Returns an amount in whole billionths of a US dollar. All sums are computed in this unit. */
// Exact for prices per million tokens with up to three decimals, and for sums of up to two million dollars.
function nanos(usd: number): number {
  return Math.round(usd * NANOS_PER_USD);
}
