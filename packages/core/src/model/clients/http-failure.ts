/** The headers of a response, e.g. a `Headers`. */
export interface ResponseHeaders {
  get(name: string): string | null;
}

/**
 * Returns how long a server asks to wait, in milliseconds, for `ModelFailure.retryAfterMs`. Reads the headers
 * `retry-after-ms` and `retry-after` (seconds or a date), and returns at most a year. `undefined` if the
 * server does not ask for a wait.
 *
 * @example
 * ```ts
 * import { retryAfterMs } from "@pawl/core/model";
 *
 * console.log(retryAfterMs(new Headers({ "retry-after": "1.5" }))); // 1500
 * ```
 */
export function retryAfterMs(headers: ResponseHeaders | undefined): number | undefined {
  const exactMs = Number.parseFloat(headers?.get("retry-after-ms") ?? "");
  if (exactMs >= 0) return Math.min(exactMs, LONGEST_WAIT);
  const retryAfter = headers?.get("retry-after")?.trim();
  if (!retryAfter) return undefined;
  const seconds = Number(retryAfter);
  const ms = Number.isNaN(seconds) ? Date.parse(retryAfter) - Date.now() : seconds * 1000;
  return Number.isNaN(ms) ? undefined : Math.min(Math.max(0, ms), LONGEST_WAIT);
}

/** A year in milliseconds. The wait is stored in the log, and JSON has no infinity. */
const LONGEST_WAIT = 365 * 24 * 3_600_000;

/**
 * Returns whether a request that failed with this HTTP status may succeed later: 408, 409, 429 and 5xx. The
 * header `x-should-retry` takes precedence.
 *
 * @example
 * ```ts
 * import { isPassing } from "@pawl/core/model";
 *
 * console.log(isPassing(529), isPassing(400)); // true false
 * ```
 */
export function isPassing(status: number, headers?: ResponseHeaders): boolean {
  const shouldRetry = headers?.get("x-should-retry");
  if (shouldRetry === "true" || shouldRetry === "false") return shouldRetry === "true";
  return status === 408 || status === 409 || status === 429 || status >= 500;
}
