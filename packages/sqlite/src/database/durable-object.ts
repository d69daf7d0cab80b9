import { PawlError } from "@pawl/core";
import type { Row, SqliteDatabase } from "./sqlite-database.ts";

/** The part of `ctx.storage` of a Durable Object that Pawl uses. */
export interface DurableStorage {
  readonly sql: {
    // biome-ignore lint/suspicious/noExplicitAny: Cloudflare's own type
    exec(sql: string, ...values: any[]): { toArray(): unknown[] };
  };
  transactionSync<T>(work: () => T): T;
}

/**
 * Uses the storage of a Durable Object on Cloudflare as a database. The object's class must be one of
 * `new_sqlite_classes` in the migrations of its Worker. Make one store for each object.
 *
 * An append resolves before its data is on several disks. Cloudflare holds back every response and request of
 * the object until it is, so nobody sees what may still be lost.
 *
 * @example
 * ```ts fragment
 * import { DurableObject } from "cloudflare:workers";
 * import { durableObject, sqliteStore } from "@pawl/sqlite";
 *
 * export class Sessions extends DurableObject {
 *   store = sqliteStore(durableObject(this.ctx.storage));
 * }
 * ```
 */
export function durableObject(storage: DurableStorage): SqliteDatabase {
  if (typeof Object(storage).transactionSync !== "function")
    throw new PawlError(
      "config",
      "durableObject() takes the storage of a Durable Object with SQLite: `ctx.storage`.",
    );
  return {
    exclusive: true,
    run: (sql, values) => storage.sql.exec(sql, ...values).toArray() as Row[],
    transaction: (work) => storage.transactionSync(work),
  };
}
