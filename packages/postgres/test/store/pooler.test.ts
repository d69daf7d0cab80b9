import { runtime, type StoredEvent } from "@pawl/core";
import { eventStoreContract, reservationsContract } from "@pawl/testing";
import pg from "pg";
import postgres from "postgres";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { hasPooler, type Pooler, pooler } from "../../../../test/support/pooler.ts";
import { type TestDatabase, testDatabase } from "../../../../test/support/postgres.ts";
import { migrate, postgresReservations, postgresStore, postgresTail } from "../../src/index.ts";

describe.skipIf(!hasPooler())("E9 through a pooler in transaction mode", () => {
  let database: TestDatabase;
  let between: Pooler;
  let pool: pg.Pool;
  let sql: postgres.Sql;
  beforeAll(async () => {
    database = await testDatabase();
    between = await pooler(database.url);
    pool = new pg.Pool({ connectionString: between.url, max: 16 });
    sql = postgres(between.url, { max: 16, prepare: false, onnotice: () => undefined });
    await migrate(pool);
  }, 60_000);
  afterAll(async () => {
    await pool?.end();
    await sql?.end({ timeout: 5 });
    await between?.stop();
    await database?.drop();
  });

  for (const { name, run } of eventStoreContract(async () => ({ store: postgresStore(pool) }))) it(name, run);
  for (const { name, run } of reservationsContract(async () => ({ reservations: postgresReservations(sql) })))
    it(name, run);

  it("E2 appends by postgres.js side by side, on more connections than the server has for it", async () => {
    const store = postgresStore(sql);
    await store.sessions.create({ id: "many", userId: "u", agent: "a" });
    await Promise.all(
      Array.from({ length: 64 }, (_, n) =>
        store.append("many", [{ type: "a.b", data: n }], { appendId: `${n}` }),
      ),
    );
    const events = await Array.fromAsync(store.read("many"));
    expect(events.map(({ seq }) => seq)).toEqual(Array.from({ length: 64 }, (_, n) => n + 1));
  });

  it("W4 live text gets through: the run's side always writes it, the readers' side polls", async () => {
    const quiet = { patienceMs: 500, onError: () => undefined };
    const [here, there] = [postgresTail(pool, quiet), postgresTail(sql, quiet)];
    expect(await Promise.all([here.ready, there.ready])).toEqual([false, false]);
    await postgresStore(pool).sessions.create({ id: "live", userId: "u", agent: "a" });
    const shown = () => there.peek("live").live?.parts.map(({ pieces }) => pieces.join(""));
    const leave = there.subscribe("live", () => undefined);
    const state = here.live("live");
    Object.assign(state, { attempt: 4, parts: [{ index: 0, kind: "text", pieces: ["Half an "] }] });
    here.touch("live");
    await expect.poll(shown, { timeout: 10_000 }).toEqual(["Half an "]);
    state.parts[0]?.pieces.push("answer");
    here.touch("live");
    await expect.poll(shown, { timeout: 10_000 }).toEqual(["Half an answer"]);
    expect(there.peek("live").seq).toBe(4);
    here.end("live");
    await expect.poll(shown, { timeout: 10_000 }).toBeUndefined();
    leave();
    await Promise.all([here.close(), there.close()]);
  }, 30_000);

  it.each([
    ["pg", () => pool],
    ["postgres", () => sql],
  ] as const)(
    "W4 the tail by %s hears nothing, says so, and readers poll",
    async (name, db) => {
      const errors: unknown[] = [];
      const tail = postgresTail(db(), { patienceMs: 500, onError: (error) => errors.push(error) });
      expect(await tail.ready).toBe(false);
      expect(String(errors[0])).toContain("readers poll");
      const store = postgresStore(db());
      const id = `polled by ${name}`;
      await store.sessions.create({ id, userId: "u", agent: "a" });
      const seen: StoredEvent[] = [];
      const over = new AbortController();
      const reading = (async () => {
        const pawl = runtime({ agents: [], store, tail, times: { pollMs: 50 } });
        for await (const event of pawl.follow(id, { signal: over.signal }))
          if ("seq" in event) seen.push(event);
      })();
      await postgresStore(pool).append(id, [{ type: "a.b", data: 1 }], { appendId: "1" });
      await expect.poll(() => seen.length, { timeout: 10_000 }).toBe(1);
      over.abort();
      await reading;
      await tail.close();
    },
    20_000,
  );
});
