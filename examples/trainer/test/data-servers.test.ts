import type { Database } from "@pawl/postgres";
import { afterAll, beforeAll, describe } from "vitest";
import { type TestDatabase, testDatabase } from "../../../test/support/postgres.ts";
import { dataSuite } from "./support/data-suite.ts";

const drivers: Record<string, (database: TestDatabase) => Database> = {
  pg: (database) => database.pool(),
  postgres: (database) => database.sql(),
};

describe.each(Object.entries(drivers))("X2 the trainer's data on a server by %s", (_name, connect) => {
  let database: TestDatabase;
  let db: Database;
  beforeAll(async () => {
    // No day and no number may depend on what a server is set to.
    database = await testDatabase({ timezone: "Pacific/Kiritimati", datestyle: "German" });
    db = connect(database);
  }, 60_000);
  afterAll(() => database.drop());

  dataSuite(() => db);
});
