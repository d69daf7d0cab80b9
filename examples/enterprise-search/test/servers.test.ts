import { describe } from "vitest";
import { databaseOn, SERVERS } from "../../../test/support/servers.ts";
import { drawCompany, storeCompany } from "../src/index.ts";
import { agentsSuite } from "./support/agents-suite.ts";
import { searchSuite } from "./support/search-suite.ts";

describe.each(Object.entries(SERVERS))("X4 the search on a server by %s", (_name, server) => {
  const database = databaseOn(server);

  searchSuite(
    async () => {
      const db = database();
      const company = drawCompany({ documents: 1_000 });
      // Two processes that store the same company at once.
      await Promise.all([storeCompany(db, "test", () => company), storeCompany(db, "test", () => company)]);
      return { db, company };
    },
    { pairs: 20, queries: 50 },
  );
  agentsSuite(database);
});
