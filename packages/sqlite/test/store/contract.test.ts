import { rmSync } from "node:fs";
import { join } from "node:path";
import { eventStoreContract } from "@pawl/testing";
import { afterAll, describe, it } from "vitest";
import { type NodeSqlite, nodeSqlite, sqliteStore } from "../../src/index.ts";
import { newFolder, withClock } from "../support/databases.ts";

describe("E9 sqliteStore over a file, by node:sqlite", () => {
  const folder = newFolder();
  const file = join(folder, "log.db");
  const connections: NodeSqlite[] = [];
  const connect = () => {
    const db = nodeSqlite(file);
    connections.push(db);
    return db;
  };
  const store = sqliteStore(connect());
  afterAll(() => {
    for (const db of connections) db.close();
    rmSync(folder, { recursive: true, force: true });
  });

  for (const { name, run } of eventStoreContract(async () => ({ store }))) it(name, run);
});

describe("E9 sqliteStore in memory, with a clock of the test's", () => {
  for (const { name, run } of eventStoreContract(async () => {
    const db = nodeSqlite(":memory:");
    const { advance, ...database } = withClock(db);
    return { store: sqliteStore(database), advance, close: async () => db.close() };
  }))
    it(name, run);
});
