// Money is a number of US dollars everywhere but in the log and a database's columns (cents) and in
// reservations (millionths of a dollar). All conversions stand here. See docs/decisions/0005-money.md.

/**
 * Returns the sum of two amounts in US dollars, exact to a billionth of a dollar: `addUsd(0.1, 0.2)` is 0.3.
 *
 * @example
 * ```ts
 * import { addUsd } from "@pawl/core";
 *
 * console.log([0.1, 0.2].reduce(addUsd, 0)); // 0.3
 * ```
 */
export function addUsd(a: number, b: number): number {
  return (nanos(a) + nanos(b)) / NANOS;
}

/** Returns the first amount less the second, in US dollars, exact to a billionth of a dollar. */
export function subtractUsd(a: number, b: number): number {
  return (nanos(a) - nanos(b)) / NANOS;
}

/** Converts US cents, e.g. `cost_cents`, to US dollars, to the nearest billionth of a dollar. */
export function usdFromCents(cents: number): number {
  return Math.round(cents * NANOS_PER_CENT) / NANOS;
}

/** Converts US dollars to US cents, e.g. for `cost_cents`, to the nearest billionth of a dollar. */
export function centsFromUsd(usd: number): number {
  return nanos(usd) / NANOS_PER_CENT;
}

/** Converts millionths of a US dollar to US dollars, to the nearest billionth of a dollar. */
export function usdFromMicros(micros: number): number {
  return Math.round(micros * NANOS_PER_MICRO) / NANOS;
}

/** Converts US dollars to millionths of a US dollar, to the nearest billionth of a dollar. */
export function microsFromUsd(usd: number): number {
  return nanos(usd) / NANOS_PER_MICRO;
}

const NANOS = 1_000_000_000;
const NANOS_PER_CENT = NANOS / 100;
const NANOS_PER_MICRO = NANOS / 1_000_000;

// Sums are made in whole billionths: prices per million tokens with up to three decimals come out even, and
// sums of up to two million dollars are exact.
function nanos(usd: number): number {
  return Math.round(usd * NANOS);
}
