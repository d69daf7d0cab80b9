/**
 * SQLSTATEs of a statement that the database rolled back because of concurrent ones: a serialization failure
 * or a deadlock.
 */
const UNDONE: readonly unknown[] = ["40001", "40P01"];

/** The most attempts for such a statement. */
const TRIES = 12;

/**
 * Calls a database, and repeats the call while it is rolled back because of concurrent ones. That happens if
 * `default_transaction_isolation` is not the default. The call must be one statement in a transaction of its
 * own; any statement may be repeated, because nothing was applied.
 *
 * @throws whatever the call throws; its `cause.code` is read as the SQLSTATE
 */
export async function tryUntilApplied<T>(call: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await call();
    } catch (error) {
      if (tries === TRIES || !UNDONE.includes(sqlState(error))) throw error;
      // Random, so that two statements that collided do not collide again.
      const longest = Math.min(2 ** tries, 100);
      await new Promise((resolve) => setTimeout(resolve, Math.random() * longest));
    }
  }
}

/** Returns the SQLSTATE of a database's error, if there is one. */
export function sqlState(error: unknown): unknown {
  return (error as { cause?: { code?: unknown } } | undefined)?.cause?.code;
}
