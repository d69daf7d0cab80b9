import { type EventStore, PawlError } from "@pawl/core";
import type { BlobStore } from "@pawl/core/store";
import {
  type Database,
  migrate,
  type PostgresTail,
  postgresBlobs,
  postgresStore,
  postgresTail,
} from "@pawl/postgres";
import { embeddedStore } from "@pawl/postgres/embedded";
import postgres from "postgres";

/** SQLite's error code for a locked database: another process uses the directory. */
const BUSY = 5;

/** How long the first connection to a server may take, in seconds. */
const CONNECT_S = 10;

/** The log, and the database that it shares with the agents' own tables. */
export interface OpenStore {
  store: EventStore & { blobs: BlobStore };
  db: Database;
  /** Notifies readers in other processes. Absent for an embedded database, which has one process. */
  tail?: PostgresTail;
  close(): Promise<void>;
}

/**
 * Opens the log in a directory, or on a Postgres server if there is a URL.
 *
 * @throws Error with one line if the directory cannot be used, or the server cannot be reached.
 */
export async function openStore(dataDir: string, databaseUrl?: string): Promise<OpenStore> {
  return databaseUrl === undefined ? await openDirectory(dataDir) : await openServer(databaseUrl);
}

async function openDirectory(dataDir: string): Promise<OpenStore> {
  try {
    const store = await embeddedStore({ dataDir });
    return { store, db: store.db, close: store.close };
  } catch (error) {
    if (!isInUse(error)) throw error;
    throw new Error(`The directory "${dataDir}" is in use. Is another npm start running?`, { cause: error });
  }
}

async function openServer(url: string): Promise<OpenStore> {
  // Without prepared statements, a pooler in transaction mode works too, e.g. Supabase's pooler.
  const db = postgres(url, { prepare: false, connect_timeout: CONNECT_S, onnotice: () => undefined });
  try {
    await migrate(db);
  } catch (cause) {
    await db.end({ timeout: 1 });
    throw new Error(`The database of DATABASE_URL cannot be used. ${lineOf(cause)}`, { cause });
  }
  const tail = postgresTail(db);
  return {
    store: { ...postgresStore(db), blobs: postgresBlobs(db) },
    db,
    tail,
    close: async () => {
      await tail.close();
      await db.end({ timeout: 5 });
    },
  };
}

function lineOf(cause: unknown): string {
  return String(cause instanceof Error ? cause.message : cause).replace(/\s+/g, " ");
}

function isInUse(error: unknown): boolean {
  return PawlError.is(error, "store_unavailable") && codeOf(error.cause) === BUSY;
}

function codeOf(cause: unknown): unknown {
  return typeof cause === "object" && cause !== null && "errcode" in cause ? cause.errcode : undefined;
}
