import { PawlError } from "@pawl/core";
import { refusal } from "../request/wire-error.ts";

/**
 * Counts requests by user. The limiters of `rate-limiter-flexible` have this shape, in memory or in any
 * database that several processes share.
 */
export interface RateLimiter {
  /**
   * Rejects with `{ msBeforeNext }`, in milliseconds, when there is no room, and with an `Error` when it
   * cannot tell.
   */
  consume(key: string): Promise<unknown>;
}

/**
 * Lets a request of the user pass, if there is room for one more: for routes of your own beside those of
 * {@link handler}, which asks by itself.
 *
 * @throws HTTPException of Hono 429 with `retry-after`; PawlError `store_unavailable` where the limiter
 * cannot tell.
 *
 * @example
 * ```ts
 * import { withinRate } from "@pawl/sse";
 *
 * const full = { consume: () => Promise.reject({ msBeforeNext: 2_000 }) };
 * await withinRate(full, "ada").catch((refused) => console.log(refused.status)); // 429
 * ```
 */
export async function withinRate(limiter: RateLimiter | undefined, userId: string): Promise<void> {
  try {
    await limiter?.consume(userId);
  } catch (full) {
    if (!isFull(full)) throw new PawlError("store_unavailable", "The rate limiter failed.", { cause: full });
    const seconds = Math.max(1, Math.ceil(full.msBeforeNext / 1_000));
    throw refusal(429, "rate_limited", `Too many messages. Please wait ${seconds} s.`, {
      "retry-after": String(seconds),
    });
  }
}

function isFull(reason: unknown): reason is { msBeforeNext: number } {
  const isObject = typeof reason === "object" && reason !== null && !(reason instanceof Error);
  return isObject && "msBeforeNext" in reason && typeof reason.msBeforeNext === "number";
}
