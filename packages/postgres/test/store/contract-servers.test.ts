import { eventStoreContract } from "@pawl/testing";
import { afterAll, beforeAll, describe, it } from "vitest";
import { type TestDatabase, testDatabase } from "../../../../test/support/postgres.ts";
import { type Database, migrate, postgresStore } from "../../src/index.ts";

const drivers: Record<string, (database: TestDatabase) => Database> = {
  pg: (database) => database.pool(),
  postgres: (database) => database.sql(),
};

describe.each(Object.entries(drivers))("E9 postgresStore over a server by %s", (_name, connect) => {
  let database: TestDatabase;
  let db: Database;
  beforeAll(async () => {
    // A zone with an offset of three quarters of an hour: no time may depend on it.
    database = await testDatabase({ timezone: "Asia/Kathmandu", datestyle: "German" });
    db = connect(database);
    await migrate(db);
  }, 60_000);
  afterAll(() => database.drop());

  for (const { name, run } of eventStoreContract(async () => ({ store: postgresStore(db) }))) it(name, run);
});
