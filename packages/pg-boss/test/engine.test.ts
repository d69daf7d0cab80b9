import { randomUUID } from "node:crypto";
import { PgBoss } from "pg-boss";
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from "vitest";
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

const soon = { timeout: 8_000 };

/** Works for the engine until the end of the test. */
async function working({ held = [] as readonly string[], concurrency = 4, from = engine } = {}) {
  const calls: { sessionId: string; at: number }[] = [];
  const { promise: gate, resolve: release } = Promise.withResolvers<void>();
  const handler = async ({ sessionId }: { sessionId: string }) => {
    calls.push({ sessionId, at: Date.now() });
    if (held.includes(sessionId)) await gate;
  };
  const worker = await from.work(handler, { concurrency });
  onTestFinished(async () => {
    release();
    await worker.stop();
  });
  return { release, count: (id: string) => calls.filter(({ sessionId }) => sessionId === id).length };
}

/** Runs `run` in a transaction that ends with `end`. */
async function transaction(
  end: "COMMIT" | "ROLLBACK",
  run: (client: { query(text: string, values?: unknown[]): Promise<{ rows: unknown[] }> }) => Promise<void>,
) {
  const client = await database.pool({ max: 1 }).connect();
  try {
    await client.query("BEGIN");
    await run(client);
    await client.query(end);
  } finally {
    client.release();
  }
}

async function jobsOf(sessionId: string): Promise<number> {
  const { rows } = await database
    .pool({ max: 1 })
    .query("SELECT count(*)::int AS n FROM pgboss.job WHERE state < 'active' AND data->>'sessionId' = $1", [
      sessionId,
    ]);
  return rows[0].n;
}

describe("wakes in a transaction", () => {
  it("Q1 come once it is committed, and not before", async () => {
    const id = randomUUID();
    const { count } = await working();
    await transaction("COMMIT", async (client) => {
      await engine.wake(id, { transaction: client });
      const other = randomUUID();
      await engine.wake(other);
      await expect.poll(() => count(other), soon).toBe(1);
      expect(count(id)).toBe(0);
    });
    await expect.poll(() => count(id), soon).toBe(1);
  });

  it("Q1 are taken back if it is rolled back", async () => {
    const [id, timed] = [randomUUID(), randomUUID()];
    await transaction("ROLLBACK", async (client) => {
      await engine.wake(id, { transaction: client });
      await engine.wake(timed, { transaction: client, afterMs: 60_000 });
    });
    expect([await jobsOf(id), await jobsOf(timed)]).toEqual([0, 0]);
  });

  it("Q2 lead to a call after the commit, also if another wake was waiting", async () => {
    const id = randomUUID();
    await engine.wake(id);
    let calls = 0;
    const { count } = await (async () => {
      let started: Awaited<ReturnType<typeof working>> | undefined;
      await transaction("COMMIT", async (client) => {
        await engine.wake(id, { transaction: client });
        started = await working();
        await expect.poll(() => started?.count(id), soon).toBe(1);
        calls = started.count(id);
      });
      return started!;
    })();
    expect(calls).toBe(1);
    await expect.poll(() => count(id), soon).toBe(2);
  });

  it("U1 are refused if it is no client", async () => {
    await expect(engine.wake(randomUUID(), { transaction: "tx" })).rejects.toMatchObject({ code: "config" });
  });
});

describe("pgBossEngine()", () => {
  it("Q2 calls sessions behind one that was woken during its call", async () => {
    const [busy, next] = [randomUUID(), randomUUID()];
    const { count } = await working({ held: [busy] });
    await engine.wake(busy);
    await expect.poll(() => count(busy), soon).toBe(1);
    await engine.wake(busy);
    await engine.wake(next);
    await expect.poll(() => count(next), soon).toBe(1);
  });

  it("Q1 begins a waiting session once a worker is free, without waiting for its next poll", async () => {
    const ids = Array.from({ length: 30 }, () => randomUUID());
    for (const id of ids) await engine.wake(id);
    const from = Date.now();
    const { count } = await working({ concurrency: 2 });
    await expect.poll(() => ids.every((id) => count(id) === 1), soon).toBe(true);
    // 15 rounds of two workers, and a poll every 2 seconds.
    expect(Date.now() - from).toBeLessThan(10_000);
  });

  it("Q2 keeps the earliest of several times, in any order", async () => {
    const id = randomUUID();
    for (const ms of [3_600_000, 7_200_000, 1_000, 5_400_000]) await engine.wake(id, { afterMs: ms });
    const { count } = await working();
    await expect.poll(() => count(id), soon).toBe(1);
    await engine.cancel(id);
  });

  it("Q1 keeps one job for wakes at the same or a later time", async () => {
    const id = randomUUID();
    for (const ms of [3_600_000, 3_600_000, 3_700_000]) await engine.wake(id, { afterMs: ms });
    for (const _ of [1, 2, 3]) await engine.wake(id);
    expect(await jobsOf(id)).toBe(2);
    await engine.cancel(id);
    expect(await jobsOf(id)).toBe(0);
  });

  it("Q1 keeps sessions apart whose ids look like each other's keys", async () => {
    const id = randomUUID();
    const ids = [id, `${id}@`, `at:${id}`, `now:${id}`];
    const { count } = await working();
    for (const one of ids) await engine.wake(one);
    await expect.poll(() => ids.map(count), soon).toEqual([1, 1, 1, 1]);
  });

  it("Q1 wakes a session with an id of 1,000 bytes", async () => {
    const bytes = Array.from({ length: 250 }, () =>
      String.fromCodePoint(0x1f300 + Math.floor(Math.random() * 200)),
    );
    const id = bytes.join("");
    expect(Buffer.byteLength(id)).toBe(1_000);
    const { count } = await working();
    await engine.wake(id);
    await engine.wake(id, { afterMs: 500 });
    await engine.wake(id, { afterMs: 100 });
    await expect.poll(() => count(id), soon).toBe(3);
  });

  it("Q1 uses a PgBoss that was given, and leaves it running", async () => {
    const boss = new PgBoss({ connectionString: database.url, useListenNotify: true });
    await boss.start();
    onTestFinished(async () => await boss.stop({ graceful: false }));
    const from = pgBossEngine({ boss, queue: "other" });
    const { count } = await working({ from });
    const id = randomUUID();
    await from.wake(id);
    await expect.poll(() => count(id), soon).toBe(1);
    await from.close();
    expect((await boss.getQueue("other"))?.policy).toBe("short");
  });

  it("U1 refuses a queue with another policy", async () => {
    const boss = new PgBoss({ connectionString: database.url });
    await boss.start();
    onTestFinished(async () => await boss.stop({ graceful: false }));
    await boss.createQueue("mail");
    await expect(pgBossEngine({ boss, queue: "mail" }).wake("s1")).rejects.toThrow(/"mail".*"standard"/);
  });

  it("Q1 reports errors of its connections until it is closed, and no later ones", async () => {
    const stopped = vi.spyOn(PgBoss.prototype, "stop");
    onTestFinished(() => stopped.mockRestore());
    const errors: unknown[] = [];
    const onError = (error: unknown) => void errors.push(error);
    const from = pgBossEngine({ connectionString: database.url, queue: "closing", onError });
    await from.wake("s2");
    stopped.mockImplementationOnce(async function (this: PgBoss) {
      this.emit("error", new Error("while it closes"));
      await this.stop();
    });
    await from.close();
    (stopped.mock.contexts[0] as PgBoss).emit("error", new Error("the database was dropped"));
    expect(errors).toMatchObject([{ message: "while it closes" }]);
  });

  it("Q1 reports a database that cannot be reached, and connects once it can be", async () => {
    const boss = new PgBoss({ connectionString: database.url });
    const from = pgBossEngine({ boss, queue: "late" });
    await expect(from.wake("s1")).rejects.toThrow();
    await boss.start();
    onTestFinished(async () => await boss.stop({ graceful: false }));
    await from.wake("s1");
    expect(await jobsOf("s1")).toBe(1);
  });
});
