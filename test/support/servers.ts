import type { Database } from "@pawl/postgres";
import { afterAll, beforeAll } from "vitest";
import { type TestDatabase, testDatabase } from "./postgres.ts";

/** How a suite reaches the run's Postgres. */
export interface Server {
  connect(database: TestDatabase): Database;
  isolation: string;
}

/** Both drivers, each with an isolation level of its own. */
export const SERVERS: Readonly<Record<string, Server>> = {
  pg: { connect: (database) => database.pool(), isolation: "read committed" },
  // At this isolation level Postgres rolls back one of two transactions that write the same row.
  postgres: { connect: (database) => database.sql(), isolation: "repeatable read" },
};

/**
 * Gives the tests of a `describe` an empty database on the run's Postgres. Its days and numbers look unusual,
 * because nothing may depend on the server's settings.
 */
export function databaseOn({ connect, isolation }: Server): () => Database {
  let database: TestDatabase;
  let db: Database;
  beforeAll(async () => {
    const settings = { timezone: "Pacific/Kiritimati", datestyle: "German" };
    database = await testDatabase({ ...settings, default_transaction_isolation: isolation });
    db = connect(database);
  });
  afterAll(() => database.drop());
  return () => db;
}
