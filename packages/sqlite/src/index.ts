// The entry `@pawl/sqlite`: the log in SQLite, a file of Node's or the storage of a Durable Object.

// The store

export { type SqliteStore, sqliteStore } from "./store/sqlite-store.ts";

// Databases

export { type DurableStorage, durableObject } from "./database/durable-object.ts";
export { type NodeDatabase, type NodeSqlite, nodeSqlite } from "./database/node-sqlite.ts";
export type { Row, SqliteDatabase, SqlValue } from "./database/sqlite-database.ts";
