import type { PGlite } from "@electric-sql/pglite";
import { memoryStore } from "@pawl/core";
import { migrate, postgresStore } from "@pawl/postgres";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { COMPANY_NOW, type CompanySearch, companySearch } from "../src/index.ts";
import { companyPglite } from "./support/company-database.ts";
import { crashEverywhere } from "./support/crash-everywhere.ts";

let db: PGlite;
let search: CompanySearch;
beforeAll(async () => {
  db = await companyPglite();
  search = companySearch(db, { now: () => COMPANY_NOW });
}, 120_000);
afterAll(() => db.close());

describe("the story of the two Alexes", () => {
  it("X4 M1 M2 M3 M5 C10 a crash before or after every append changes nothing but time", async () => {
    const { appends, crashes } = await crashEverywhere(search, () => {
      let clock = COMPANY_NOW;
      const wait = async () => {
        clock += 600_000;
      };
      return { store: memoryStore({ now: () => clock }), wait };
    });
    expect(appends).toBeGreaterThan(25);
    expect(crashes).toBeGreaterThan(2 * (appends - 3));
  }, 120_000);

  it("X4 M3 a crash at some of the appends over Postgres changes nothing but time", async () => {
    await migrate(db);
    await crashEverywhere(
      search,
      async () => {
        await db.query("DELETE FROM agent_sessions");
        return { store: postgresStore(db), wait: leasesEnd };
      },
      { every: 9 },
    );
  });
});

/** Lets all leases expire, as time does. */
async function leasesEnd(): Promise<void> {
  await db.query("UPDATE agent_sessions SET lease_expires_at = now() WHERE lease_expires_at IS NOT NULL");
}
