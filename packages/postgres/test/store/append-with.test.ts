import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { newPglite } from "../../../../test/support/new-pglite.ts";
import { type TestDatabase, testDatabase } from "../../../../test/support/postgres.ts";
import { settled } from "../../../../test/support/settled.ts";
import { until } from "../../../../test/support/until.ts";
import { type Database, migrate, postgresStore } from "../../src/index.ts";

/** What each driver's transaction has. */
interface Transaction {
  query(text: string, values?: unknown[]): Promise<{ rows: unknown[] }>;
}

let server: TestDatabase;
beforeAll(async () => {
  server = await testDatabase();
}, 60_000);
afterAll(() => server.drop());

const drivers: Record<string, () => Promise<Database>> = {
  pg: async () => server.pool(),
  "postgres.js": async () => server.sql(),
  PGlite: newPglite,
};

const note = (text: string) => ({ type: "note", data: { text } }) as const;

describe.each(Object.entries(drivers))("appendWith over %s", (_name, connect) => {
  let db: Database;
  beforeAll(async () => {
    db = await connect();
    await migrate(db);
    const [sql, values] = ["CREATE TABLE IF NOT EXISTS beside (id text)", [] as never[]];
    if ("query" in db) await db.query(sql);
    else await db.unsafe(sql, values, { prepare: false });
  }, 60_000);

  async function begin() {
    const store = postgresStore(db);
    const id = randomUUID();
    await store.sessions.create({ id, userId: "u1", agent: "coach" });
    const write = async (transaction: unknown) =>
      void (await (transaction as Transaction).query("INSERT INTO beside VALUES ($1)", [id]));
    const beside = async () => {
      const [text, values] = ["SELECT * FROM beside WHERE id = $1", [id]];
      if ("query" in db) return (await db.query(text, values)).rows.length;
      return (await db.unsafe(text, values as never[], { prepare: true })).length;
    };
    const append = store.appendWith as NonNullable<typeof store.appendWith>;
    return { store, id, write, beside, append, log: () => Array.fromAsync(store.read(id)) };
  }

  it("Q1 stores what `also` writes together with the events", async () => {
    const { id, append, write, beside, log } = await begin();
    await append(id, [note("a")], { appendId: "1" }, write);
    expect([await beside(), (await log()).length]).toEqual([1, 1]);
  });

  it("Q1 stores nothing of `also` if the append is refused", async () => {
    const { id, append, write, beside } = await begin();
    const appending = append(id, [note("a")], { appendId: "1", afterSeq: 7 }, write);
    await expect(appending).rejects.toMatchObject({ code: "conflict" });
    expect(await beside()).toBe(0);
  });

  it("Q1 stores nothing of `also` if the append is stored already", async () => {
    const { id, append, write, beside } = await begin();
    await append(id, [note("a")], { appendId: "1" }, write);
    await append(id, [note("a")], { appendId: "1" }, write);
    expect(await beside()).toBe(1);
  });

  it("Q1 stores no events if `also` hides that the transaction has failed", async () => {
    const { id, append, log } = await begin();
    const hides = async (transaction: unknown) =>
      void (await (transaction as Transaction).query("SELECT * FROM no_such_table").catch(() => undefined));
    const appending = append(id, [note("a")], { appendId: "1" }, hides);
    await expect(appending).rejects.toMatchObject({ code: "store_unavailable" });
    expect(await log()).toEqual([]);
  });
});

describe("appendWith", () => {
  it("Q1 survives a connection that is lost during the transaction, and uses another one", async () => {
    const pool = server.pool({ max: 1 });
    await migrate(pool);
    const store = postgresStore(pool);
    const id = randomUUID();
    await store.sessions.create({ id, userId: "u1", agent: "coach" });
    const killed = store.appendWith?.(id, [note("a")], { appendId: "1" }, async (transaction) => {
      const { rows } = await (transaction as Transaction).query("SELECT pg_backend_pid() AS pid");
      const pid = (rows[0] as { pid: number }).pid;
      const others = server.pool();
      await others.query("SELECT pg_terminate_backend($1)", [pid]);
      const isAlive = async () =>
        (await others.query("SELECT 1 FROM pg_stat_activity WHERE pid = $1", [pid])).rows.length > 0;
      await until(async () => !(await isAlive()));
      // The client of the database reads that its connection is gone.
      await settled();
    });
    await expect(killed).rejects.toMatchObject({ code: "store_unavailable" });
    await store.appendWith?.(id, [note("a")], { appendId: "1" }, async () => undefined);
    expect(await Array.fromAsync(store.read(id))).toHaveLength(1);
  });

  it("Q1 does not wait for a statement of `also` that hangs, and frees its connection", async () => {
    const pool = server.pool({ max: 1 });
    await migrate(pool);
    const store = postgresStore(pool);
    const id = randomUUID();
    await store.sessions.create({ id, userId: "u1", agent: "coach" });
    const hanging = store.appendWith?.(id, [note("a")], { appendId: "1" }, async (transaction) => {
      (transaction as Transaction).query("SELECT pg_sleep(60)").catch(() => undefined);
      throw new Error("too late");
    });
    await expect(hanging).rejects.toThrow("too late");
    await store.append(id, [note("a")], { appendId: "1" });
    expect(await Array.fromAsync(store.read(id))).toHaveLength(1);
  }, 20_000);

  it("Q1 is missing for a client and for anything else without transactions of its own", async () => {
    const { query } = server.pool();
    expect(postgresStore({ query }).appendWith).toBeUndefined();
    const client = await server.pool().connect();
    expect(postgresStore(client).appendWith).toBeUndefined();
    client.release();
  });
});
