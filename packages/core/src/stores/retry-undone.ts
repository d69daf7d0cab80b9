import { backoff } from "../base/backoff.ts";

/**
 * SQLSTATEs of a statement that the database rolled back because of concurrent statements: a serialization
 * failure or a deadlock.
 */
const UNDONE: readonly unknown[] = ["40001", "40P01"];

/** The most attempts for a statement that is rolled back. */
const TRIES = 12;

/**
 * Calls a database, and repeats the call while the database rolls it back because of concurrent calls (a
 * serialization failure or a deadlock). Tries at most 12 times. The call must be one statement in its own
 * transaction. Repeating it is safe, because nothing was applied.
 *
 * @throws the last error of the call. The `cause.code` of an error is read as its SQLSTATE.
 *
 * @example
 * ```ts
 * import { tryUntilApplied } from "@pawl/core/store";
 *
 * let tries = 0;
 * const rows = await tryUntilApplied(async () => {
 *   tries += 1;
 *   if (tries < 3) throw new Error("deadlock", { cause: { code: "40P01" } });
 *   return ["a row"];
 * });
 * console.log(rows, tries); // [ 'a row' ] 3
 * ```
 */
export async function tryUntilApplied<T>(call: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await call();
    } catch (error) {
      if (tries === TRIES || !UNDONE.includes(sqlState(error))) throw error;
      // The delay is random, so that two statements that collided do not collide again.
      const delayMs = backoff(tries, { baseMs: 2, maxMs: 100, jitter: 1 });
      await new Promise((resolve) => setTimeout(resolve, delayMs));
    }
  }
}

/** Returns the SQLSTATE of a database's error, from `cause.code`; `undefined` if the error has none. */
export function sqlState(error: unknown): unknown {
  return (error as { cause?: { code?: unknown } } | undefined)?.cause?.code;
}
