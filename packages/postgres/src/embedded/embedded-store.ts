import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import type { PGlite } from "@electric-sql/pglite";
import { type EventStore, messageOf, PawlError } from "@pawl/core";
import { type BlobStore, watchedStore } from "@pawl/core/store";
import type { Queryable } from "../database/queryable.ts";
import { migrate } from "../migrations/migrate.ts";
import { clearLeases } from "../store/leases.ts";
import { postgresBlobs } from "../store/postgres-blobs.ts";
import { postgresStore } from "../store/postgres-store.ts";
import { lockDirectory } from "./directory-lock.ts";
import { newDatabase } from "./new-database.ts";

/** Options of `embeddedStore()`. */
export interface EmbeddedOptions {
  /** Where the log is kept; made when missing. Without it, or with `memory://`, it is in memory. */
  dataDir?: string | undefined;
}

/** A store that has to be closed; what is still asked of it afterwards fails with `store_unavailable`. */
export interface EmbeddedStore extends EventStore {
  /** For large payloads, in the same database: `runtime({ store, blobs: store.blobs })`. */
  readonly blobs: BlobStore;
  /** The database itself, for its views, `prune` and `copyLog`. */
  readonly db: Queryable;
  close(): Promise<void>;
}

/**
 * The log in a Postgres inside this process (PGlite), in a directory of its own. It needs no server and one
 * to two seconds for its first start.
 *
 * What was acknowledged survives `kill -9`, but not a power cut or a crash of the operating system: nothing
 * is forced to disk. One process at a time may use a directory, the next one is refused. Because of that,
 * opening takes back the leases of a process that died, and its runs can be recovered at once. Close it at
 * the end: a process that does not lives on for ten seconds after its last statement.
 *
 * Readers are notified of every append through this store. They find events written directly to its `db`
 * within a minute.
 *
 * @throws PawlError `store_unavailable` when the directory is in use or the database does not start.
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
export async function embeddedStore({ dataDir }: EmbeddedOptions = {}): Promise<EmbeddedStore> {
  const inMemory = dataDir === undefined || dataDir.startsWith("memory://");
  const directory = inMemory ? undefined : resolve(dataDir);
  const unlock = directory === undefined ? undefined : await lockDirectory(directory);
  let db: PGlite | undefined;
  try {
    db = await start(directory === undefined ? undefined : join(directory, "postgres"));
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

/**
 * Small buffers save 100 MB and cost nothing measurable here. Without reports on the progress of a recovery,
 * because their timer is never stopped and would keep a process alive for ever. PGlite is large, so it is
 * loaded only here.
 */
async function start(dataDir: string | undefined): Promise<PGlite> {
  const { PGlite } = await import("@electric-sql/pglite");
  const exists = dataDir !== undefined && existsSync(join(dataDir, "PG_VERSION"));
  const database = exists ? undefined : await newDatabase();
  return await PGlite.create({
    dataDir: dataDir ?? "memory://",
    ...(database && { loadDataDir: database }),
    startParams: [
      ...PGlite.defaultStartParams,
      ...["-c", "shared_buffers=16MB"],
      ...["-c", "log_startup_progress_interval=0"],
    ],
  });
}

/** Closes once, whoever calls; the directory is free when the database has let go of it. */
function closing(db: PGlite, unlock: (() => void) | undefined): () => Promise<void> {
  let closed: Promise<void> | undefined;
  return () => {
    closed ??= db.close().finally(() => unlock?.());
    return closed;
  };
}
