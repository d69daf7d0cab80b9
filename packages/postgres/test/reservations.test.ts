import { setTimeout as sleep } from "node:timers/promises";
import { PGlite } from "@electric-sql/pglite";
import { reservationsContract } from "@pawl/testing";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { compareToModel, reservationSteps } from "../../../test/support/reservation-model.ts";
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

  it("E10 says what a simple model says, whatever is asked in whatever order", async () => {
    const reservations = postgresReservations(db);
    await fc.assert(
      fc.asyncProperty(reservationSteps, async (steps) => await compareToModel(reservations, steps, sleep)),
      { numRuns: 60 },
    );
  }, 60_000);

  it("E10 a call is one statement, and a failure of the database is store_unavailable with its cause", async () => {
    const asked: string[] = [];
    const counted = postgresReservations({
      query: async (text, values) => {
        asked.push(text);
        return await db.query(text, values);
      },
    });
    const calls = (reservations: typeof counted) => [
      () => reservations.reserve({ account: "one", id: "one", amount: 1, limit: 1 }),
      () => reservations.renew("one", 0),
      () => reservations.abort("one", 0),
      () => reservations.finalize("one", 0),
      () => reservations.expire(),
      () => reservations.balance("one"),
    ];
    for (const call of calls(counted)) await call();
    expect(asked).toHaveLength(6);
    const cause = new Error("connection lost");
    const broken = postgresReservations({ query: () => Promise.reject(cause) });
    for (const call of calls(broken))
      await expect(call()).rejects.toMatchObject({ code: "store_unavailable", cause });
  });

  it("E10 finalized reservations may be deleted: what they used stays charged", async () => {
    const reservations = postgresReservations(db);
    for (const id of ["old 1", "old 2"])
      await reservations.reserve({ account: "old", id, amount: 4, limit: 10 });
    await reservations.finalize("old 1", 3);
    await db.query("DELETE FROM agent_reservations WHERE finalized AND created_at < now()");
    expect(await reservations.balance("old")).toEqual({ used: 3, held: 4 });
  });
});
