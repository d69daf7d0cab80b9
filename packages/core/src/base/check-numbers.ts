import { kindOf } from "./check-options.ts";
import { PawlError } from "./errors.ts";

interface Bounds {
  least?: number;
  most?: number;
  whole?: boolean;
}

/**
 * Checks that each numeric option is a number within the given bounds.
 *
 * @param whose the function that takes the options, for the message, e.g. `withRetry()`
 * @throws PawlError `config` for the first option that is not a number or is out of bounds
 */
// `NaN` is refused too. `Number(process.env.X)` returns it for a missing variable, and a limit of `NaN` is
// never reached, because every comparison with it is false.
export function checkNumbers(
  whose: string,
  numbers: { readonly [what: string]: number },
  { least = 0, most = Number.POSITIVE_INFINITY, whole = false }: Bounds = {},
): void {
  for (const [what, value] of Object.entries(numbers)) {
    if (typeof value === "number" && value >= least && value <= most && (!whole || Number.isInteger(value)))
      continue;
    const kind = whole ? "a whole number" : "a number";
    const upTo = Number.isFinite(most) ? ` to ${most}` : "";
    throw new PawlError("config", `${what} of ${whose} must be ${kind} from ${least}${upTo}${butIs(value)}.`);
  }
}

/**
 * Returns the end of an error message: a wrong number itself, or the type of any other value, which may be a
 * secret.
 */
export function butIs(value: unknown): string {
  return typeof value === "number" ? `, not ${value}` : `; got ${kindOf(value)}`;
}
