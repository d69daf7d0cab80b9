import { checkOptions, messageOf, PawlError } from "@pawl/core";

/** A parameter of a statement. */
export type SqlValue = string | number | null;

/** A row, by the names of its columns. */
export type Row = Readonly<Record<string, unknown>>;

/**
 * The part of a SQLite database that Pawl uses. {@link nodeSqlite} and {@link durableObject} make one; write
 * your own for another driver. Both methods are synchronous, like SQLite itself.
 */
export interface SqliteDatabase {
  /** Runs one statement with `?` for each value, and returns its rows. */
  run(sql: string, values: readonly SqlValue[]): readonly Row[];
  /**
   * Runs `work` in a transaction, and returns its result. Takes the lock for writing before `work` begins,
   * and waits for it while another connection has it. If `work` throws, rolls back and throws its error.
   */
  transaction<T>(work: () => T): T;
  /**
   * Set it if nothing but this object can write to the database. The store then has `watch`: idle readers
   * query it once a minute instead of every `times.pollMs`. Default: false.
   */
  readonly exclusive?: boolean;
  /**
   * Set it if a commit waits for the disk, and if `run` takes `SAVEPOINT` statements. The store then commits
   * the writes of one turn of the event loop in one transaction, each in a savepoint of its own. Default:
   * false.
   */
  readonly groupCommit?: boolean;
}

/** Checks that `db` is a database. @throws PawlError `config` that says how to make one */
export function checkDatabase(db: unknown): void {
  const mustBe = 'a database: nodeSqlite("pawl.db"), or durableObject(ctx.storage)';
  const is = (value: unknown) =>
    typeof Object(value).run === "function" && typeof Object(value).transaction === "function";
  checkOptions("sqliteStore()", { database: db }, { database: { mustBe, is, required: true } });
}

/** Returns the database with all its errors as `store_unavailable`, with the driver's error as the cause. */
export function withPawlErrors(db: SqliteDatabase): SqliteDatabase {
  return {
    run: (sql, values) => orUnavailable(() => db.run(sql, values)),
    transaction: (work) => orUnavailable(() => db.transaction(work)),
    groupCommit: db.groupCommit === true,
  };
}

function orUnavailable<T>(work: () => T): T {
  try {
    return work();
  } catch (cause) {
    if (PawlError.is(cause)) throw cause;
    throw new PawlError("store_unavailable", `The database failed: ${messageOf(cause)}`, { cause });
  }
}
