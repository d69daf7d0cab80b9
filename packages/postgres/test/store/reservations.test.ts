import type { PGlite } from "@electric-sql/pglite";
import { reservationsContract } from "@pawl/testing";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { newPglite } from "../../../../test/support/new-pglite.ts";
import { pause } from "../../../../test/support/pause.ts";
import { compareToModel, reservationSteps } from "../../../../test/support/reservation-model.ts";
import { migrate, postgresReservations, prune } from "../../src/index.ts";

const expiring = (ms: number) => pause(ms, "short reservations expire, by the time of the database");

describe("postgresReservations over PGlite", () => {
  let db: PGlite;
  beforeAll(async () => {
    db = await newPglite();
    await migrate(db);
  }, 60_000);
  afterAll(() => db.close());

  const make = async () => ({ reservations: postgresReservations(db) });
  for (const { name, run } of reservationsContract(make)) it(name, run);

  it("E10 agrees with a simple model, for any calls in any order", async () => {
    const reservations = postgresReservations(db);
    await fc.assert(
      fc.asyncProperty(
        reservationSteps,
        async (steps) => await compareToModel(reservations, steps, expiring),
      ),
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

  it("E10 prune deletes old reservations that hold nothing, and what they used stays charged", async () => {
    const reservations = postgresReservations(db);
    const held = { account: "pruned", amount: 10, limit: 1_000 };
    for (const id of ["finalized", "aborted", "expired", "held", "young"])
      await reservations.reserve({ ...held, id: `p ${id}`, ...(id === "expired" ? { ttlMs: 1 } : {}) });
    await reservations.finalize("p finalized", 3);
    await reservations.abort("p aborted", 4);
    await reservations.finalize("p young", 5);
    await pause(5, "a reservation of 1 ms expires, by the time of the database");
    const age = "UPDATE agent_reservations SET created_at = now() - interval '91 days'";
    await db.query(`${age} WHERE account = 'pruned' AND id <> 'p young'`);
    const ids = async () => {
      const text = "SELECT id FROM agent_reservations WHERE account = 'pruned' ORDER BY id";
      return (await db.query<{ id: string }>(text)).rows.map(({ id }) => id);
    };
    const olderThan = new Date(Date.now() - 90 * 86_400_000);
    expect(await prune(db, { olderThan })).toMatchObject({ reservations: 0 });
    expect(await ids()).toHaveLength(6);
    const pruned = await prune(db, { olderThan, reservations: true, batch: 2 });
    expect(pruned).toEqual({ sessions: 0, events: 0, reservations: 3 });
    expect(await ids()).toEqual(["", "p held", "p young"]);
    expect(await reservations.balance("pruned")).toEqual({ used: 12, held: 10 });
    expect(await reservations.finalize("p held", 8)).toMatchObject({ used: 8 });
    expect(await reservations.balance("pruned")).toEqual({ used: 20, held: 0 });
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

describe("agent_reservations where Supabase's roles are", () => {
  it("E6 E10 the service has them, and nobody else, whatever the default privileges are", async () => {
    const db = await newPglite();
    try {
      await db.exec(`CREATE ROLE anon; CREATE ROLE authenticated; CREATE ROLE service_role;
        ALTER DEFAULT PRIVILEGES GRANT ALL ON TABLES TO anon, authenticated;
        ALTER DEFAULT PRIVILEGES GRANT ALL ON FUNCTIONS TO anon, authenticated`);
      await migrate(db);
      const rights = async (role: string) => {
        const { rows } = await db.query<{ right: boolean }>(
          `SELECT has_table_privilege($1, 'agent_reservations', p) AS right
           FROM unnest(ARRAY['SELECT', 'INSERT', 'UPDATE', 'DELETE', 'TRUNCATE']) p
           UNION ALL SELECT has_function_privilege($1, oid, 'EXECUTE') FROM pg_proc
             WHERE proname IN ('pawl_reserve', 'pawl_charge_reservation', 'pawl_expire_account', 'pawl_expire_reservations')`,
          [role],
        );
        return rows.map(({ right }) => right);
      };
      expect(await rights("anon")).toEqual(Array(9).fill(false));
      expect(await rights("authenticated")).toEqual(Array(9).fill(false));
      expect((await rights("service_role")).filter(Boolean)).toHaveLength(8);
      await db.exec("SET ROLE service_role");
      const reservations = postgresReservations(db);
      const answer = await reservations.reserve({ account: "a", id: "1", amount: 1, limit: 1 });
      expect(answer).toEqual({ granted: true, available: 0 });
      await db.exec("SET ROLE authenticated");
      await expect(reservations.balance("a")).rejects.toMatchObject({ cause: { code: "42501" } });
    } finally {
      await db.close();
    }
  }, 60_000);
});
