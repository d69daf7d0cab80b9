#!/usr/bin/env node
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { messageOf } from "@pawl/core";
import type { Database } from "../database/queryable.ts";
import { embeddedStore } from "../embedded/embedded-store.ts";
import { copyLog } from "../maintenance/copy-log.ts";
import { prune } from "../maintenance/prune.ts";
import { migrate, migrationFiles } from "../migrations/migrate.ts";

const usage = `pawl-postgres <command>

  migrate                      update the server's schema
  sql [folder]                 print the migrations, or write them as files
  prune --older-than <days>    delete sessions without an append for that long;
                               with --reservations also old reservations that hold nothing
  export <directory>           copy the log in a directory (embeddedStore) to the server
  import <directory>           copy the server's log to a directory

The server is --url, or DATABASE_URL. The driver, pg or postgres, must be installed.`;

/** Opens a pool on the server, with `pg` or else `postgres`. */
async function connect(url: string | undefined): Promise<{ db: Database; close(): Promise<void> }> {
  if (url === undefined) throw new Error("The server is missing. Give --url, or set DATABASE_URL.");
  try {
    const { default: pg } = await import("pg");
    const pool = new pg.Pool({ connectionString: url, max: 2 });
    return { db: pool, close: () => pool.end() };
  } catch (error) {
    if ((error as { code?: unknown }).code !== "ERR_MODULE_NOT_FOUND") throw error;
  }
  const { default: postgres } = await import("postgres");
  const sql = postgres(url, { max: 2, prepare: false, onnotice: () => undefined });
  return { db: sql, close: () => sql.end() };
}

async function onServer<T>(url: string | undefined, work: (db: Database) => Promise<T>): Promise<T> {
  const { db, close } = await connect(url);
  try {
    await migrate(db);
    return await work(db);
  } finally {
    await close();
  }
}

/** Runs `work` with the server's database and with the one in a directory. */
async function onBoth<T>(
  url: string | undefined,
  dataDir: string | undefined,
  work: (server: Database, embedded: Database) => Promise<T>,
): Promise<T> {
  if (dataDir === undefined)
    throw new Error("The directory is missing: it is the `dataDir` of embeddedStore().");
  return await onServer(url, async (server) => {
    const store = await embeddedStore({ dataDir });
    try {
      return await work(server, store.db);
    } finally {
      await store.close();
    }
  });
}

async function printFiles(folder: string | undefined): Promise<string> {
  const files = Object.entries(migrationFiles());
  if (folder === undefined) return files.map(([, text]) => text).join("\n");
  await mkdir(folder, { recursive: true });
  for (const [name, text] of files) await writeFile(join(folder, name), text);
  return `${files.length} files in ${folder}`;
}

async function main(): Promise<unknown> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      url: { type: "string" },
      "older-than": { type: "string" },
      reservations: { type: "boolean" },
      help: { type: "boolean" },
    },
  });
  if (values.help) return usage;
  const [command, argument] = positionals;
  const url = values.url ?? process.env.DATABASE_URL;
  switch (command) {
    case "migrate":
      return await onServer(url, async () => "The schema is up to date.");
    case "sql":
      return await printFiles(argument);
    case "prune": {
      const days = Number(values["older-than"]);
      if (!(days > 0))
        throw new Error("prune needs --older-than with a number of days above 0, e.g. --older-than 90.");
      const olderThan = new Date(Date.now() - days * 24 * 60 * 60 * 1_000);
      return await onServer(url, (db) =>
        prune(db, { olderThan, reservations: values.reservations === true }),
      );
    }
    case "export":
      return await onBoth(url, argument, (server, embedded) => copyLog(embedded, server));
    case "import":
      return await onBoth(url, argument, (server, embedded) => copyLog(server, embedded));
    default:
      throw new Error(usage);
  }
}

main().then(
  (said) => console.log(said),
  (error: unknown) => {
    console.error(messageOf(error));
    process.exitCode = 1;
  },
);
