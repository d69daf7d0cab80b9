import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type TestDatabase, testDatabase } from "../../../../test/support/postgres.ts";
import { migrate, postgresReservations, postgresStore } from "../../src/index.ts";

describe.each(["serializable", "repeatable read"])("a database whose transactions are %s", (isolation) => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await testDatabase({ default_transaction_isolation: isolation });
    await migrate(database.pool());
  }, 60_000);
  afterAll(() => database.drop());

  it("E10 concurrent reservations are granted up to the limit, and none fails", async () => {
    const { rows } = await database.pool().query("SHOW default_transaction_isolation");
    expect(rows).toEqual([{ default_transaction_isolation: isolation }]);
    const reservations = postgresReservations(database.pool());
    const ids = Array.from({ length: 16 }, (_, n) => `r${n}`);
    const granted = await Promise.all(
      ids.map((id) => reservations.reserve({ account: "shared", id, amount: 10, limit: 100 })),
    );
    expect(granted.filter((answer) => answer.granted)).toHaveLength(10);
    expect(await reservations.balance("shared")).toEqual({ used: 0, held: 100 });
    await Promise.all(ids.map((id) => reservations.finalize(id, 3)));
    expect(await reservations.balance("shared")).toEqual({ used: 30, held: 0 });
  });

  it("E2 concurrent appends are all stored, once and without gaps", async () => {
    const store = postgresStore(database.sql());
    await store.sessions.create({ id: "s", userId: "u", agent: "a" });
    const stored = await Promise.all(
      Array.from({ length: 16 }, (_, n) =>
        store.append("s", [{ type: "a.b", data: n }], { appendId: `${n}` }),
      ),
    );
    const seqs = stored.map(([event]) => event?.seq).sort((a = 0, b = 0) => a - b);
    expect(seqs).toEqual(Array.from({ length: 16 }, (_, n) => n + 1));
    expect(await Array.fromAsync(store.read("s"))).toHaveLength(16);
  });
});

describe("a statement that the database rolled back", () => {
  it.each([
    ["40001", 3],
    ["40P01", 3],
    ["08006", 1],
  ])("E2 with %s is made %i times when it fails twice", async (code, times) => {
    let calls = 0;
    const reservations = postgresReservations({
      query: async () => {
        calls += 1;
        if (calls < 3) throw Object.assign(new Error("undone"), { code });
        return { rows: [{ used: 1, held: 2 }] };
      },
    });
    const balance = reservations.balance("a");
    if (times === 3) expect(await balance).toEqual({ used: 1, held: 2 });
    else await expect(balance).rejects.toMatchObject({ code: "store_unavailable", cause: { code } });
    expect(calls).toBe(times);
  });

  it("E2 repeatedly is store_unavailable in the end", async () => {
    const reservations = postgresReservations({
      query: () => Promise.reject(Object.assign(new Error("undone"), { code: "40001" })),
    });
    await expect(reservations.balance("a")).rejects.toMatchObject({
      code: "store_unavailable",
      cause: { code: "40001" },
    });
  });
});
