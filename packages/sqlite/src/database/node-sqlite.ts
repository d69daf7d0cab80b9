import { messageOf, PawlError } from "@pawl/core";
import { builtin } from "./builtin.ts";
import { sameFileCheck } from "./same-file.ts";
import type { Row, SqliteDatabase, SqlValue } from "./sqlite-database.ts";

/** The part of a `DatabaseSync` of `node:sqlite` that Pawl uses. */
export interface NodeDatabase {
  exec(sql: string): void;
  prepare(sql: string): { all(...values: SqlValue[]): unknown[] };
  close(): void;
}

/** A database of `node:sqlite`. */
export interface NodeSqlite extends SqliteDatabase {
  /** Closes the database. Writes that are not committed yet reject. Drain the runtime first. */
  close(): void;
}

/** How long a statement waits for another process to finish writing, in milliseconds. */
const BUSY_TIMEOUT_MS = 5_000;

/**
 * How long SQLite waits by itself for the lock to write, in milliseconds. It looks for the lock less and less
 * often, in the end every 100 ms, and may then miss each gap between the transactions of another process, for
 * seconds in which this process does nothing else.
 */
const PATIENCE_MS = 20;

/**
 * Opens a SQLite database with `node:sqlite`, which is part of Node, Deno and Bun. Several processes of one
 * machine may open the same file. A commit blocks its process until it is on the disk, and for at most 5
 * seconds while another process writes. Processes that write all the time take turns within milliseconds. The
 * writes of one turn of the event loop are one commit; each of them is still stored or refused by itself.
 *
 * `database` is the path of a file, which is created if it is missing, or `":memory:"`. A file is set to
 * write-ahead logging (`journal_mode = WAL`) with `synchronous = FULL`, so that an append that has been
 * acknowledged survives a power failure. Do not put it on a network file system.
 *
 * `database` can also be a `DatabaseSync` of your own, e.g. one that has tables of your application too. It
 * keeps its settings: set WAL and a `timeout` if several processes use the file. Leave no transaction of your
 * own open across an `await`: writes that are due meanwhile reject with `store_unavailable`.
 *
 * If the file is deleted or replaced while it is open, every call rejects with `store_unavailable` until it
 * is back: SQLite would go on writing to the deleted file.
 *
 * @throws PawlError `store_unavailable` if the file cannot be opened, `config` without `node:sqlite`
 *
 * @example
 * ```ts
 * import { nodeSqlite, sqliteStore } from "@pawl/sqlite";
 *
 * const db = nodeSqlite(":memory:"); // in an app the path of a file
 * const store = sqliteStore(db);
 * const { status } = await store.sessions.create({ id: "s1", userId: "ada", agent: "coach" });
 * console.log(status); // active
 * db.close();
 * ```
 */
export function nodeSqlite(database: string | NodeDatabase): NodeSqlite {
  if (typeof database === "string")
    return over(opened(database), { isOwn: true, exclusive: database === ":memory:", begin: takeLock });
  if (typeof Object(database).prepare === "function")
    return over(database, { isOwn: false, exclusive: false, begin: (db) => db.exec("BEGIN IMMEDIATE") });
  throw new PawlError("config", 'nodeSqlite() takes the path of a file, e.g. "pawl.db", or a DatabaseSync.');
}

interface Kind {
  /** Whether Pawl has opened the database itself. */
  isOwn: boolean;
  /** Whether no other connection can use it. */
  exclusive: boolean;
  /** Begins a transaction that has the lock to write. */
  begin(db: NodeDatabase): void;
}

function over(db: NodeDatabase, { isOwn, exclusive, begin }: Kind): NodeSqlite {
  // An application's database may change to another kind of journal, and then has no log.
  const path = pathOf(db);
  const checkFile = sameFileCheck(path, { hasLog: isOwn });
  let isInTransaction = false;
  // The store has a fixed number of statements, so the map does not grow.
  const prepared = new Map<string, ReturnType<NodeDatabase["prepare"]>>();
  return {
    exclusive,
    groupCommit: path !== "",
    run(sql, values) {
      if (!isInTransaction) checkFile();
      const statement = prepared.get(sql) ?? db.prepare(sql);
      prepared.set(sql, statement);
      return statement.all(...values) as Row[];
    },
    transaction(work) {
      begin(db);
      isInTransaction = true;
      try {
        checkFile();
        const result = work();
        db.exec("COMMIT");
        return result;
      } catch (error) {
        rollBack(db);
        throw error;
      } finally {
        isInTransaction = false;
      }
    },
    close: () => db.close(),
  };
}

/** Returns the absolute path of the database's file, `""` in memory. */
function pathOf(db: NodeDatabase): string {
  const [row] = db.prepare("SELECT file FROM pragma_database_list WHERE name = 'main'").all();
  return String((row as { file?: unknown } | undefined)?.file ?? "");
}

/** Begins a transaction that has the lock to write. Throws if another process keeps it for too long. */
function takeLock(db: NodeDatabase): void {
  const end = performance.now() + BUSY_TIMEOUT_MS;
  const restore = `PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}`;
  for (;;) {
    try {
      db.exec(`PRAGMA busy_timeout = ${PATIENCE_MS}; BEGIN IMMEDIATE; ${restore}`);
      return;
    } catch (error) {
      const isLocked = messageOf(error).includes("database is locked");
      if (isLocked && performance.now() < end) continue;
      db.exec(restore);
      throw error;
    }
  }
}

/** Rolls back, unless SQLite has done so because of the error. */
function rollBack(db: NodeDatabase): void {
  try {
    db.exec("ROLLBACK");
  } catch {
    // No transaction is active.
  }
}

interface SqliteModule {
  DatabaseSync: new (path: string) => NodeDatabase;
}

function opened(path: string): NodeDatabase {
  const module = builtin<SqliteModule>("node:sqlite");
  if (module === undefined)
    throw new PawlError(
      "config",
      "nodeSqlite() needs `node:sqlite`: Node 22.18 or newer. In a Durable Object, use durableObject(ctx.storage).",
    );
  try {
    const db = new module.DatabaseSync(path);
    // The timeout comes first: another process may be opening the same new file.
    db.exec(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}`);
    db.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL");
    return db;
  } catch (cause) {
    const message = `The database "${path}" cannot be opened: ${messageOf(cause)}. Its folder must exist and be writable.`;
    throw new PawlError("store_unavailable", message, { cause });
  }
}
