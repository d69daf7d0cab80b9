import { PawlError } from "./errors.ts";

interface Bounds {
  least?: number;
  most?: number;
  whole?: boolean;
}

/**
 * Checks that numeric options are numbers within bounds.
 *
 * @param whose whom the options are for, e.g. `withRetry()`
 * @throws PawlError `config` for the first value that is not a number within the bounds
 */
// `Number(process.env.X)` is `NaN` if the variable is missing, and comparisons with NaN are always false.
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
    throw new PawlError("config", `${what} of ${whose} must be ${kind} from ${least}${upTo}, not ${value}.`);
  }
}
