import type { EventStore } from "@pawl/core";
import { type Database, migrate, postgresBlobs, postgresStore } from "@pawl/postgres";
import { embeddedStore } from "@pawl/postgres/embedded";
import postgres from "postgres";

/** An open database, and the log in it. */
export interface OpenDatabase {
  db: Database;
  store: EventStore;
  close(): Promise<void>;
}

/**
 * Opens the Postgres server of `url`, or without one an embedded Postgres in a directory, which one process
 * at a time can use.
 */
export async function openDatabase(dataDir: string, url?: string): Promise<OpenDatabase> {
  if (url === undefined) {
    const store = await embeddedStore({ dataDir });
    return { db: store.db, store, close: store.close };
  }
  // Without prepared statements, a pooler in transaction mode works too.
  const db = postgres(url, { prepare: false, connect_timeout: 10, onnotice: () => undefined });
  try {
    await migrate(db);
  } catch (cause) {
    await db.end({ timeout: 1 });
    throw new Error("The database of DATABASE_URL cannot be used.", { cause });
  }
  const store = { ...postgresStore(db), blobs: postgresBlobs(db) };
  return { db, store, close: () => db.end({ timeout: 5 }) };
}
