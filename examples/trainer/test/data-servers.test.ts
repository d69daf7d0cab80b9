import type { Database } from "@pawl/postgres";
import { afterAll, beforeAll, describe } from "vitest";
import { type TestDatabase, testDatabase } from "../../../test/support/postgres.ts";
import { dataSuite } from "./support/data-suite.ts";

const servers: Record<string, { connect(database: TestDatabase): Database; isolation: string }> = {
  pg: { connect: (database) => database.pool(), isolation: "read committed" },
  // Here the database undoes what it cannot put into an order.
  postgres: { connect: (database) => database.sql(), isolation: "repeatable read" },
};

describe.each(Object.entries(servers))(
  "X2 the trainer's data on a server by %s",
  (_name, { connect, isolation }) => {
    let database: TestDatabase;
    let db: Database;
    beforeAll(async () => {
      // No day and no number may depend on what a server is set to.
      const settings = { timezone: "Pacific/Kiritimati", datestyle: "German" };
      database = await testDatabase({ ...settings, default_transaction_isolation: isolation });
      db = connect(database);
    }, 60_000);
    afterAll(() => database.drop());

    dataSuite(() => db);
  },
);
