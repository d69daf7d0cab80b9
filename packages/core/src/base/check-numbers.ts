import { kindOf } from "./check-options.ts";
import { PawlError } from "./errors.ts";

/** The bounds of {@link checkNumbers}. */
export interface NumberBounds {
  /** The smallest valid number. Default: 0. */
  least?: number;
  /** The largest valid number. Default: none. */
  most?: number;
  /** Whether the numbers must be whole. */
  whole?: boolean;
}

/**
 * Checks that each numeric option is a number within the given bounds.
 *
 * @param owner the function that takes the options, for the message, e.g. `withRetry()`
 * @throws PawlError `config` for the first option that is not a number or is out of bounds
 *
 * @example
 * ```ts
 * import { checkNumbers } from "@pawl/core/tools";
 *
 * try {
 *   checkNumbers("search()", { limit: 0 }, { least: 1, whole: true });
 * } catch (error) {
 *   console.log(String(error)); // … limit of search() must be a whole number from 1, not 0.
 * }
 * ```
 */
// `NaN` is refused too. `Number(process.env.X)` returns it for a missing variable, and a limit of `NaN` is
// never reached, because every comparison with it is false.
export function checkNumbers(
  owner: string,
  numbers: { readonly [name: string]: number },
  { least = 0, most = Number.POSITIVE_INFINITY, whole = false }: NumberBounds = {},
): void {
  for (const [name, value] of Object.entries(numbers)) {
    const isInBounds = typeof value === "number" && value >= least && value <= most;
    if (isInBounds && (!whole || Number.isInteger(value))) continue;
    const kind = whole ? "a whole number" : "a number";
    const upTo = Number.isFinite(most) ? ` to ${most}` : "";
    throw new PawlError(
      "config",
      `${name} of ${owner} must be ${kind} from ${least}${upTo}${wrongValueText(value)}.`,
    );
  }
}

/**
 * Returns the end of an error message about a wrong value. Shows a number itself. Of any other value, which
 * may be a secret, shows only the type.
 */
export function wrongValueText(value: unknown): string {
  return typeof value === "number" ? `, not ${value}` : `; got ${kindOf(value)}`;
}
