import { join, resolve } from "node:path";
import type { PGlite } from "@electric-sql/pglite";
import { checkOptions, type EventStore, messageOf, type OptionKinds, PawlError } from "@pawl/core";
import { type BlobStore, watchedStore } from "@pawl/core/store";
import type { Queryable } from "../database/queryable.ts";
import { migrate } from "../migrations/migrate.ts";
import { clearLeases } from "../store/leases.ts";
import { postgresBlobs } from "../store/postgres-blobs.ts";
import { postgresStore } from "../store/postgres-store.ts";
import { lockDirectory } from "./directory-lock.ts";
import { loadPglite } from "./load-pglite.ts";
import { newDatabase, writeDatabase } from "./new-database.ts";

/** Options of `embeddedStore()`. */
export interface EmbeddedOptions {
  /**
   * The directory to keep the log in. Created if missing. Default: `memory://`, which keeps the log in memory
   * only.
   */
  dataDir?: string | undefined;
}

const OPTIONS: OptionKinds<EmbeddedOptions> = { dataDir: "string" };

const INSTEAD = { directory: "Use `dataDir`.", path: "Use `dataDir`.", dir: "Use `dataDir`." };

/**
 * A store over a Postgres inside this process. Close it at the end; later calls fail with
 * `store_unavailable`.
 */
export interface EmbeddedStore extends EventStore {
  /** Keeps large payloads in the same database. Pass it as `runtime({ store, blobs: store.blobs })`. */
  readonly blobs: BlobStore;
  /** The database, for your own queries, `prune()` and `copyLog()`. */
  readonly db: Queryable;
  /** Closes the database and unlocks the directory. */
  close(): Promise<void>;
}

/**
 * Keeps the log in a Postgres inside this process (PGlite), in its own directory, without a server. Install
 * `@electric-sql/pglite` beside this package. The first start takes one to two seconds.
 *
 * - Events survive `kill -9` of the process. A power cut or a crash of the operating system may lose events,
 *   because they are not forced to disk.
 * - Only one process at a time may use a directory. Opening revokes the leases of processes that died, so
 *   that their runs can be recovered at once.
 * - Close the store at the end. Otherwise the process stays alive for ten seconds after its last statement.
 * - Readers see events of this store at once, and events written directly to `db` within a minute.
 *
 * @throws PawlError `config` if `@electric-sql/pglite` is not installed or Node is older than 22.18, and
 *   `store_unavailable` if the directory is in use or the database does not start.
 *
 * @example
 * ```ts
 * import { embeddedStore } from "@pawl/postgres/embedded";
 *
 * const store = await embeddedStore({ dataDir: "memory://" });
 * await store.sessions.create({ id: "s1", userId: "u1", agent: "coach" });
 * await store.close();
 * ```
 */
export async function embeddedStore(options: EmbeddedOptions = {}): Promise<EmbeddedStore> {
  checkOptions("embeddedStore()", options, OPTIONS, { instead: INSTEAD });
  const { dataDir } = options;
  const inMemory = dataDir === undefined || dataDir.startsWith("memory://");
  const directory = inMemory ? undefined : resolve(dataDir);
  const Pglite = await loadPglite();
  const unlock = directory === undefined ? undefined : await lockDirectory(directory);
  let db: PGlite | undefined;
  try {
    db = await start(Pglite, directory === undefined ? undefined : join(directory, "postgres"));
    await migrate(db);
    await clearLeases(db);
  } catch (cause) {
    await db?.close().catch(() => undefined);
    unlock?.();
    const where = directory ?? "memory";
    throw new PawlError("store_unavailable", `The log in "${where}" cannot be opened: ${messageOf(cause)}`, {
      cause,
      details: { directory: where },
    });
  }
  return { ...watchedStore(postgresStore(db)), blobs: postgresBlobs(db), db, close: closing(db, unlock) };
}

/** Starts PGlite. */
// Small buffers save 100 MB and cost nothing measurable. Progress reports of a recovery are off, because
// their timer would keep the process alive forever.
async function start(Pglite: typeof PGlite, dataDir: string | undefined): Promise<PGlite> {
  if (dataDir !== undefined) await writeDatabase(dataDir);
  const database = dataDir === undefined ? await newDatabase() : undefined;
  return await Pglite.create({
    dataDir: dataDir ?? "memory://",
    ...(database && { loadDataDir: database }),
    startParams: [
      ...Pglite.defaultStartParams,
      ...["-c", "shared_buffers=16MB"],
      ...["-c", "log_startup_progress_interval=0"],
    ],
  });
}

/**
 * Returns a function that closes the database and unlocks the directory. Further calls wait for the first
 * one.
 */
function closing(db: PGlite, unlock: (() => void) | undefined): () => Promise<void> {
  let closed: Promise<void> | undefined;
  return () => {
    closed ??= db.close().finally(() => unlock?.());
    return closed;
  };
}
