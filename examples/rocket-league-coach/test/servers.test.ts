import type { Database } from "@pawl/postgres";
import { afterAll, beforeAll, describe } from "vitest";
import { type TestDatabase, testDatabase } from "../../../test/support/postgres.ts";
import { toolsSuite } from "./support/tools-suite.ts";

const servers: Record<string, { connect(database: TestDatabase): Database; isolation: string }> = {
  pg: { connect: (database) => database.pool(), isolation: "read committed" },
  // At this isolation level Postgres rolls back one of two transactions that write the same row.
  postgres: { connect: (database) => database.sql(), isolation: "repeatable read" },
};

describe.each(Object.entries(servers))(
  "X3 the coach's tools on a server by %s",
  (_name, { connect, isolation }) => {
    let database: TestDatabase;
    let db: Database;
    beforeAll(async () => {
      // Days and numbers must not depend on the server's settings.
      const settings = { timezone: "Pacific/Kiritimati", datestyle: "German" };
      database = await testDatabase({ ...settings, default_transaction_isolation: isolation });
      db = connect(database);
    }, 60_000);
    afterAll(() => database.drop());

    toolsSuite(() => db);
  },
);
