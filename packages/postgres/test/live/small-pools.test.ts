import { agent, PawlError, runtime } from "@pawl/core";
import { scriptedModel } from "@pawl/testing";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type TestDatabase, testDatabase } from "../../../../test/support/postgres.ts";
import { until } from "../../../../test/support/until.ts";
import { type ListeningDatabase, migrate, postgresStore, postgresTail } from "../../src/index.ts";

let database: TestDatabase;

beforeAll(async () => {
  database = await testDatabase();
  await migrate(database.pool());
}, 60_000);

afterAll(async () => await database.drop());

/** A run, then a reader, then a run, all over one pool. */
async function story(db: ListeningDatabase, patienceMs = 5_000) {
  const errors: unknown[] = [];
  const onError = (error: unknown) => errors.push(error);
  const model = scriptedModel(() => ({ text: "Hello." }));
  const helper = agent({ name: "helper", model, instructions: "You help." });
  const tail = postgresTail(db, { onError, patienceMs });
  const pawl = runtime({ agents: [helper], store: postgresStore(db), tail, onError });
  const say = async (more: object = {}) =>
    await pawl.run(helper, { userId: "ada", input: "Hi", ...more }).result;
  const { sessionId } = await say();
  const over = new AbortController();
  const read = Array.fromAsync(pawl.follow(sessionId, { signal: over.signal }));
  const { stop } = await say({ sessionId });
  const ready = await tail.ready;
  over.abort();
  await read;
  await pawl.drain();
  await tail.close();
  return { stop, ready, errors };
}

describe("a pool that has no connection for a listener and a query", () => {
  it("B5 of one connection does not listen, says so at once, and runs go on", async () => {
    const { stop, ready, errors } = await story(database.pool({ max: 1 }));
    expect([stop.type, ready]).toEqual(["end_turn", false]);
    expect(errors).toMatchObject([{ code: "config", message: expect.stringContaining("`max: 1`") }]);
  });

  it("B5 of two connections listens, and so does postgres.js with one", async () => {
    for (const db of [database.pool({ max: 2 }), database.sql({ max: 1 })]) {
      const { stop, ready, errors } = await story(db);
      expect([stop.type, ready, errors]).toEqual(["end_turn", true, []]);
    }
  });

  it("B5 whose size cannot be read gets the listener's connection back, and says so", async () => {
    const pool = database.pool({ max: 1 });
    const hidden: ListeningDatabase = {
      query: (text, values) => pool.query(text, values),
      connect: () => pool.connect(),
    };
    const { stop, errors } = await story(hidden, 200);
    expect(stop.type).toBe("end_turn");
    expect(String(errors[0])).toContain("has waited 200 ms for a connection of its pool");
  });

  it("B5 which others have used up is reported while the listener waits for it", async () => {
    const pool = database.pool({ max: 2 });
    const taken = await Promise.all([pool.connect(), pool.connect()]);
    const errors: unknown[] = [];
    const tail = postgresTail(pool, { onError: (error) => errors.push(error), patienceMs: 100 });
    await until(() => errors.length > 0);
    expect(String(errors[0])).toContain("has waited 100 ms for a connection of its pool");
    for (const client of taken) client.release();
    expect(await tail.ready).toBe(true);
    await tail.close();
  });
});

describe("a database that does not answer", () => {
  it("B5 rejects a run's result, whatever the driver waits for", async () => {
    const pool = database.pool();
    let isFrozen = false;
    const frozen = {
      query: (text: string, values?: unknown[]) =>
        isFrozen ? new Promise<never>(() => undefined) : pool.query(text, values),
    };
    const model = scriptedModel(() => {
      isFrozen = true;
      return { text: "Hello." };
    });
    const helper = agent({ name: "helper", model, instructions: "You help." });
    const store = postgresStore(frozen, { timeoutMs: 50 });
    const errors: unknown[] = [];
    const onError = (error: unknown) => errors.push(error);
    const pawl = runtime({ agents: [helper], store, onError, times: { storeRetryMs: [] } });
    const error = await pawl
      .run(helper, { userId: "ada", input: "Hi" })
      .result.catch((cause: unknown) => cause);
    expect(PawlError.is(error, "store_unavailable")).toBe(true);
    expect(String(error)).toContain("The database has not answered for 50 ms.");
  });

  it("B5 U6 refuses what is not a time", () => {
    for (const timeoutMs of [0, -1, Number.NaN, Number.POSITIVE_INFINITY])
      expect(() => postgresStore(database.pool(), { timeoutMs })).toThrow("timeoutMs");
    expect(() => postgresStore(database.pool(), { timeout: 5 } as never)).toThrow("timeout");
  });
});
