import { PawlError } from "@pawl/core";
import { refusal } from "../request/wire-error.ts";

/**
 * Limits the requests of each user. The limiters of `rate-limiter-flexible` fit, in memory or on a shared
 * database.
 */
export interface RateLimiter {
  /**
   * Counts one request. `key` is the user's id. Rejects with `{ msBeforeNext }`, in milliseconds, if the user
   * has reached the limit. Rejects with an `Error` if the limiter itself fails.
   */
  consume(key: string): Promise<unknown>;
}

/**
 * Counts a request of a user, and throws if the user has reached the limit. Does nothing without a limiter.
 * Call it in your own routes; {@link handler} calls it for `POST /runs`.
 *
 * @throws HTTPException of Hono 429 with the header `retry-after`. PawlError `store_unavailable` if the
 * limiter fails.
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
  await within(limiter, userId, "messages");
}

/** Counts a read of a user, see `rateLimitReads`. */
export async function withinReadRate(limiter: RateLimiter | undefined, userId: string): Promise<void> {
  await within(limiter, userId, "requests");
}

async function within(limiter: RateLimiter | undefined, userId: string, what: string): Promise<void> {
  try {
    await limiter?.consume(userId);
  } catch (full) {
    if (!isFull(full)) throw new PawlError("store_unavailable", "The rate limiter failed.", { cause: full });
    const seconds = Math.max(1, Math.ceil(full.msBeforeNext / 1_000));
    throw refusal(429, "rate_limited", `Too many ${what}. Please wait ${seconds} s.`, {
      "retry-after": String(seconds),
    });
  }
}

function isFull(reason: unknown): reason is { msBeforeNext: number } {
  const isObject = typeof reason === "object" && reason !== null && !(reason instanceof Error);
  return isObject && "msBeforeNext" in reason && typeof reason.msBeforeNext === "number";
}
