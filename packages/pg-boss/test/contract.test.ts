import { engineContract } from "@pawl/testing";
import { afterAll, beforeAll, describe, it } from "vitest";
import { type TestDatabase, testDatabase } from "../../../test/support/postgres.ts";
import { type PgBossEngine, pgBossEngine } from "../src/index.ts";

let database: TestDatabase;
let engine: PgBossEngine;
beforeAll(async () => {
  database = await testDatabase();
  engine = pgBossEngine({ connectionString: database.url });
});
afterAll(async () => {
  await engine.close();
  await database.drop();
});

describe("pgBossEngine()", () => {
  for (const { name, run } of engineContract(async () => ({ engine }))) it(name, run);
});
