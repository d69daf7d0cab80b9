import { PawlError } from "./errors.ts";

interface Bounds {
  least?: number;
  most?: number;
  whole?: boolean;
}

/**
 * Checks options that a comparison would take for what they are not: `Number(process.env.X)` is `NaN` without
 * the variable, and nothing is more than that.
 *
 * @param whose whom the options are for, e.g. `withRetry()`
 * @throws PawlError `config` for the first that is no number, or none within the bounds
 */
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
