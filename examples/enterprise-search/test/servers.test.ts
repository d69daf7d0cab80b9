import type { Database } from "@pawl/postgres";
import { afterAll, describe } from "vitest";
import { type TestDatabase, testDatabase } from "../../../test/support/postgres.ts";
import { drawCompany, storeCompany } from "../src/index.ts";
import { agentsSuite } from "./support/agents-suite.ts";
import { searchSuite } from "./support/search-suite.ts";

const servers: Record<string, (database: TestDatabase) => Database> = {
  pg: (database) => database.pool(),
  postgres: (database) => database.sql(),
};

describe.each(Object.entries(servers))("X4 the search on a server by %s", (_name, connect) => {
  let database: TestDatabase;
  let db: Database;
  afterAll(() => database.drop());

  searchSuite(
    async () => {
      // Days and numbers must not depend on the server's settings.
      database = await testDatabase({ timezone: "Pacific/Kiritimati", datestyle: "German" });
      db = connect(database);
      const company = drawCompany({ documents: 1_000 });
      // Two processes that store the same company at once.
      await Promise.all([storeCompany(db, "test", () => company), storeCompany(db, "test", () => company)]);
      return { db, company };
    },
    { pairs: 20, queries: 50 },
  );
  agentsSuite(() => db);
});
