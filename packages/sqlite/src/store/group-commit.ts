import type { SqliteDatabase } from "../database/sqlite-database.ts";

/** A database whose writes are committed alone or in groups. */
export interface CommittingDatabase extends SqliteDatabase {
  /** Runs `work` in a transaction. Resolves with its result once it is committed. */
  commit<T>(work: () => T): Promise<T>;
}

/** A write that waits for its transaction. */
interface Write {
  work(): unknown;
  resolve(result: unknown): void;
  reject(error: unknown): void;
}

/** Returns the database with `commit`, which groups writes if the database asks for it. */
export function withCommits(db: SqliteDatabase): CommittingDatabase {
  return db.groupCommit === true ? grouped(db) : { ...db, commit: async (work) => db.transaction(work) };
}

/** How many statements outside of a transaction let writes wait. */
const MOST_READS = 500;

/**
 * Commits the writes of one turn of the event loop in one transaction, in the order in which they came, so
 * that all of them wait for the disk once.
 */
// A microtask would come after the input of each socket, and `setImmediate` comes after the input of all. The
// second one lets readers have new text of other runs before the commit blocks the process.
function grouped(db: SqliteDatabase): CommittingDatabase {
  let waiting: Write[] = [];
  let reads = 0;
  const flush = () => {
    const group = waiting;
    waiting = [];
    reads = 0;
    if (group.length === 1) commitAlone(db, group);
    else if (group.length > 1) commitTogether(db, group);
  };
  return {
    ...db,
    run(sql, values) {
      // A loop that only reads never lets the event loop turn, and may read until a waiting write is stored.
      if (waiting.length > 0) reads += 1;
      if (reads > MOST_READS) flush();
      return db.run(sql, values);
    },
    commit: <T>(work: () => T) =>
      new Promise<T>((resolve, reject) => {
        const write = { work, resolve: resolve as Write["resolve"], reject };
        if (waiting.push(write) === 1) setImmediate(() => setImmediate(flush));
      }),
  };
}

/** Commits each write in a transaction of its own. */
function commitAlone(db: SqliteDatabase, group: readonly Write[]): void {
  for (const { work, resolve, reject } of group)
    try {
      resolve(db.transaction(work));
    } catch (error) {
      reject(error);
    }
}

/**
 * Commits writes in one transaction. A write that throws loses its own changes only, and rejects. If the
 * transaction cannot begin or be committed, all of them reject.
 */
function commitTogether(db: SqliteDatabase, group: readonly Write[]): void {
  const verdicts: (() => void)[] = [];
  let isUndone = false;
  try {
    db.transaction(() => {
      isUndone = true;
      for (const write of group) verdicts.push(inSavepoint(db, write));
      isUndone = false;
    });
  } catch (error) {
    // An error of one write, e.g. a full disk, has made SQLite roll back the others too.
    if (isUndone) commitAlone(db, group);
    else for (const { reject } of group) reject(error);
    return;
  }
  for (const settle of verdicts) settle();
}

/**
 * Runs a write, and undoes its changes if it throws. Returns the function that settles it. Throws if SQLite
 * has rolled back the whole transaction.
 */
function inSavepoint(db: SqliteDatabase, { work, resolve, reject }: Write): () => void {
  db.run("SAVEPOINT pawl_write", []);
  try {
    const result = work();
    db.run("RELEASE pawl_write", []);
    return () => resolve(result);
  } catch (error) {
    db.run("ROLLBACK TO pawl_write", []);
    db.run("RELEASE pawl_write", []);
    return () => reject(error);
  }
}
