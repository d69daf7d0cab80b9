import { PGlite } from "@electric-sql/pglite";
import { reservationsContract } from "@pawl/testing";
import { afterAll, beforeAll, describe, it } from "vitest";
import { migrate, postgresReservations } from "../src/index.ts";

describe("postgresReservations over PGlite", () => {
  let db: PGlite;
  beforeAll(async () => {
    db = await PGlite.create();
    await migrate(db);
  }, 60_000);
  afterAll(() => db.close());

  const make = async () => ({ reservations: postgresReservations(db) });
  for (const { name, run } of reservationsContract(make)) it(name, run);
});
