/**
 * SQLSTATEs of a statement that the database undid because of others: it could not be serialized, or was in a
 * deadlock.
 */
const UNDONE: readonly unknown[] = ["40001", "40P01"];

/** How often such a statement is made. With each time, whoever was in the way is further along. */
const TRIES = 12;

/**
 * Makes a call to a database that is one statement in a transaction of its own, and again as long as it is
 * undone because of others, which happens where `default_transaction_isolation` is not the default. Nothing
 * was applied then, so any statement may be repeated. The pauses are of random length, so that the same ones
 * do not meet again.
 *
 * @throws whatever the call throws; `cause.code` is looked at for the SQLSTATE
 */
export async function tryUntilApplied<T>(call: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await call();
    } catch (error) {
      if (tries === TRIES || !UNDONE.includes(sqlState(error))) throw error;
      const longest = Math.min(2 ** tries, 100);
      await new Promise((resolve) => setTimeout(resolve, Math.random() * longest));
    }
  }
}

/** The SQLSTATE behind a database's error, if there is one. */
export function sqlState(error: unknown): unknown {
  return (error as { cause?: { code?: unknown } } | undefined)?.cause?.code;
}
