import { randomUUID } from "node:crypto";
import { reservationsContract } from "@pawl/testing";
import type pg from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type TestDatabase, testDatabase } from "../../../../test/support/postgres.ts";
import { type Database, migrate, postgresReservations } from "../../src/index.ts";

const drivers: Record<string, (database: TestDatabase) => Database> = {
  pg: (database) => database.pool(),
  postgres: (database) => database.sql(),
};

/** What the account's own row says, and what its reservations add up to. */
async function sums(pool: pg.Pool, account: string) {
  const { rows } = await pool.query(
    `SELECT sum(used) FILTER (WHERE id = '') AS used, sum(used) FILTER (WHERE id <> '') AS of_used,
       sum(held) FILTER (WHERE id = '') AS held, sum(held) FILTER (WHERE id <> '') AS of_held
     FROM agent_reservations WHERE account = $1`,
    [account],
  );
  return Object.fromEntries(Object.entries(rows[0]).map(([key, value]) => [key, Number(value)]));
}

describe.each(Object.entries(drivers))("E10 postgresReservations over a server by %s", (_name, connect) => {
  let database: TestDatabase;
  let db: Database;
  let pool: pg.Pool;
  beforeAll(async () => {
    database = await testDatabase({ timezone: "Asia/Kathmandu", datestyle: "German" });
    db = connect(database);
    pool = database.pool({ max: 1 });
    await migrate(db);
  }, 60_000);
  afterAll(() => database.drop());

  const make = async () => ({ reservations: postgresReservations(db) });
  for (const { name, run } of reservationsContract(make)) it(name, run);

  it("E10 of 200 concurrent reservations in a budget for 100 exactly 100 are granted", async () => {
    const reservations = postgresReservations(db);
    const account = randomUUID();
    const ids = Array.from({ length: 200 }, () => randomUUID());
    const answers = await Promise.all(
      ids.map((id) => reservations.reserve({ account, id, amount: 7, limit: 706 })),
    );
    const granted = ids.filter((_, at) => answers[at]?.granted);
    expect(granted).toHaveLength(100);
    expect(await reservations.balance(account)).toEqual({ used: 0, held: 700 });
    expect(await sums(pool, account)).toEqual({ used: 0, of_used: 0, held: 700, of_held: 700 });
  });

  it("E10 2,000 calls of all kinds at once on two accounts deadlock nowhere, and the sums are right", async () => {
    const reservations = postgresReservations(db);
    const accounts = [randomUUID(), randomUUID()];
    const ids = Array.from({ length: 20 }, () => randomUUID());
    const requestOf = (n: number) => ({
      account: accounts[n % 2] ?? "",
      id: ids[n % ids.length] ?? "",
      amount: 50,
      limit: 300,
      ttlMs: n % 9 === 0 ? 1 : 60_000,
    });
    let granted = 0;
    const kinds = [
      async (n: number) => {
        const answer = await reservations.reserve(requestOf(n));
        granted += answer.granted ? 1 : 0;
      },
      async (n: number) => await reservations.renew(requestOf(n).id, n % 60, 60_000),
      async (n: number) => await reservations.abort(requestOf(n).id, n % 30),
      async () => await reservations.expire(),
      async (n: number) => n > 1_800 && (await reservations.finalize(requestOf(n).id, n % 70)),
    ];
    const calls = Array.from({ length: 2_000 }, (_, n) => () => kinds[Math.trunc(n / 20) % 5]?.(n));
    const outcomes = await Promise.allSettled(calls.map((call) => call()));
    const wrong = outcomes.flatMap((one) => (one.status === "rejected" ? [String(one.reason)] : []));
    expect(wrong.filter((said) => !said.includes("finalized"))).toEqual([]);
    expect(granted).toBeGreaterThan(0);
    for (const account of accounts) {
      const { used, of_used, held, of_held } = await sums(pool, account);
      expect([used, held]).toEqual([of_used, of_held]);
      expect(used).toBeGreaterThan(0);
    }
  });
});
