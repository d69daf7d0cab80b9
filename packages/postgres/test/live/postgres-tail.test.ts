import { runtime, type StoredEvent } from "@pawl/core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { pause } from "../../../../test/support/pause.ts";
import { type TestDatabase, testDatabase } from "../../../../test/support/postgres.ts";
import {
  type Database,
  type ListeningDatabase,
  migrate,
  type PostgresTail,
  type PostgresTailOptions,
  postgresStore,
  postgresTail,
} from "../../src/index.ts";
import { parseWakeUp, wakeUps } from "../../src/listening/wake-ups.ts";

let database: TestDatabase;
const tails: PostgresTail[] = [];

beforeAll(async () => {
  database = await testDatabase();
  await migrate(database.pool());
}, 60_000);

afterAll(async () => {
  await Promise.all(tails.map((tail) => tail.close()));
  await database.drop();
});

function open(db: ListeningDatabase, options?: PostgresTailOptions): PostgresTail {
  const tail = postgresTail(db, options);
  tails.push(tail);
  return tail;
}

/** A reader in "another process": a runtime of its own, over its own pool. It never polls. */
function reader(db: Database, tail: PostgresTail, sessionId: string, pollMs = 1_000_000) {
  const seen: StoredEvent[] = [];
  const over = new AbortController();
  const events = runtime({ agents: [], store: postgresStore(db), tail, times: { pollMs } }).follow(
    sessionId,
    {
      signal: over.signal,
    },
  );
  const done = (async () => {
    for await (const event of events) if ("seq" in event) seen.push(event);
  })();
  const leave = async () => {
    over.abort();
    await done;
  };
  return { seen, leave };
}

const drivers: Record<string, () => ListeningDatabase> = {
  pg: () => database.pool(),
  postgres: () => database.sql(),
};

describe("E9 W4 the live tail over LISTEN and NOTIFY", () => {
  it.each(Object.keys(drivers))(
    "E9 W4 wakes readers of other processes by %s, who read by number",
    async (driver) => {
      const id = `woken ${driver} "'\n\\ é`;
      const [there, here] = [drivers[driver]?.(), drivers[driver]?.()] as [
        ListeningDatabase,
        ListeningDatabase,
      ];
      const store = postgresStore(here);
      await store.sessions.create({ id, userId: "u", agent: "a" });
      const [theirs, ours] = [open(there), open(here)];
      expect([await theirs.ready, await ours.ready]).toEqual([true, true]);
      const { seen, leave } = reader(there, theirs, id);
      for (let n = 1; n <= 50; n += 1) {
        const [event] = await store.append(id, [{ type: "a.b", data: n }], { appendId: `${n}` });
        ours.stored(id, event?.seq ?? 0);
      }
      await expect.poll(() => seen.length, { timeout: 10_000 }).toBe(50);
      expect(seen.map(({ seq }) => seq)).toEqual(Array.from({ length: 50 }, (_, n) => n + 1));
      await leave();
    },
  );

  it("E9 many sessions' wake-ups are few statements, none too long", async () => {
    const pool = database.pool();
    const texts: string[] = [];
    const notify = {
      query: async (text: string, values?: unknown[]) => {
        texts.push(text);
        return await pool.query(text, values);
      },
    };
    const [ours, theirs] = [open(pool, { notify, everyMs: 20 }), open(database.pool())];
    await Promise.all([ours.ready, theirs.ready]);
    const woken = new Map<string, number>();
    const ids = Array.from({ length: 300 }, (_, n) => `${n} ${"é".repeat(200)}`);
    for (const id of ids) theirs.subscribe(id, () => woken.set(id, theirs.peek(id).seq));
    texts.length = 0;
    for (const seq of [1, 2, 3]) for (const id of ids) ours.stored(id, seq);
    await expect.poll(() => woken.size, { timeout: 10_000 }).toBe(300);
    expect(new Set(woken.values())).toEqual(new Set([3]));
    expect(texts).toHaveLength(1);
  });

  it("E9 listens again on a new connection when its own is cut", async () => {
    const pool = database.pool();
    const tail = open(pool, { onError: () => undefined });
    const sender = open(database.pool());
    await Promise.all([tail.ready, sender.ready]);
    const { rowCount } = await database
      .pool()
      .query(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND query LIKE 'LISTEN%'",
      );
    expect(rowCount).toBeGreaterThan(0);
    await expect.poll(() => tail.listening, { timeout: 10_000 }).toBe(false);
    await expect.poll(() => tail.listening && sender.listening, { timeout: 10_000 }).toBe(true);
    let seq = 0;
    tail.subscribe("s", () => {
      seq = tail.peek("s").seq;
    });
    sender.stored("s", 7);
    await expect.poll(() => seq, { timeout: 10_000 }).toBe(7);
  }, 30_000);

  it.each(Object.keys(drivers))(
    "E9 readers of an idle session do not poll by %s, until the connection is cut",
    async (driver) => {
      const id = `idle ${driver}`;
      const listener = drivers[driver]?.() as ListeningDatabase;
      const store = postgresStore(database.pool());
      await store.sessions.create({ id, userId: "u", agent: "a" });
      const tail = open(listener, { onError: () => undefined });
      expect(await tail.ready).toBe(true);
      const texts: string[] = [];
      const pool = database.pool();
      const counted: Database = {
        query: async (text: string, values?: unknown[]) => {
          texts.push(text);
          return await pool.query(text, values);
        },
      };
      const readers = Array.from({ length: 5 }, () => reader(counted, tail, id, 50));
      await expect.poll(() => texts.length).toBeGreaterThan(0);
      // If they polled, they would never be quiet for half a second.
      const read = async () => {
        texts.length = 0;
        await pause(500, "ten times as long as a poll waits");
        return texts;
      };
      await expect.poll(read, { timeout: 10_000 }).toEqual([]);
      // Stored by a process that tells nobody, while the connection is cut.
      await database
        .pool()
        .query(
          "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND query ILIKE 'listen%'",
        );
      await store.append(id, [{ type: "a.b", data: 1 }], { appendId: "1" });
      const seen = () => readers.map((one) => one.seen.length);
      await expect.poll(seen, { timeout: 10_000 }).toEqual([1, 1, 1, 1, 1]);
      await Promise.all(readers.map(({ leave }) => leave()));
    },
    30_000,
  );

  it("E9 sends again what could not be sent, and reports that once", async () => {
    const pool = database.pool();
    let fails = true;
    let failures = 0;
    const errors: unknown[] = [];
    const notify: Database = {
      query: async (text: string, values?: unknown[]) => {
        if (fails && text.includes("pg_notify")) {
          failures += 1;
          throw new Error("no connection");
        }
        return await pool.query(text, values);
      },
    };
    const sender = open(pool, { notify, onError: (error) => errors.push(error) });
    const tail = open(database.pool());
    await Promise.all([sender.ready, tail.ready]);
    let seq = 0;
    tail.subscribe("again", () => {
      seq = tail.peek("again").seq;
    });
    sender.stored("again", 3);
    await expect.poll(() => errors.length).toBe(1);
    sender.stored("again", 4);
    const before = failures;
    await expect.poll(() => failures, { timeout: 10_000 }).toBeGreaterThan(before);
    fails = false;
    await expect.poll(() => seq, { timeout: 10_000 }).toBe(4);
    expect(errors).toHaveLength(1);
  });

  it("E9 if nothing arrives, as through a pooler, that is reported once per attempt, and readers poll", async () => {
    const pool = database.pool();
    const errors: unknown[] = [];
    let released = 0;
    const deaf: ListeningDatabase = {
      query: (text, values) => pool.query(text, values),
      connect: async () => ({
        query: (text: string, values?: unknown[]) =>
          text.startsWith("LISTEN") ? Promise.resolve({ rows: [] }) : pool.query(text, values),
        on: () => undefined,
        release: () => {
          released += 1;
        },
      }),
    };
    const tail = open(deaf, { patienceMs: 100, onError: (error) => errors.push(error) });
    expect(await tail.ready).toBe(false);
    expect(released).toBe(1);
    expect(String(errors[0])).toContain("readers poll");
    const store = postgresStore(pool);
    await store.sessions.create({ id: "polled", userId: "u", agent: "a" });
    const { seen, leave } = reader(pool, tail, "polled", 50);
    await store.append("polled", [{ type: "a.b", data: 1 }], { appendId: "1" });
    await expect.poll(() => seen.length, { timeout: 10_000 }).toBe(1);
    await leave();
  });

  it("E9 a database that cannot be reached costs wake-ups and nothing else", async () => {
    const errors: unknown[] = [];
    const broken = {
      query: (sql: string) => Promise.reject(new Error(sql.includes("pg_notify") ? "not sent" : "not found")),
      connect: () => Promise.reject(new Error("not heard")),
    };
    const tail = open(broken, { onError: (error) => errors.push(error) });
    expect(await tail.ready).toBe(false);
    let rung = 0;
    tail.subscribe("s", () => {
      rung += 1;
    });
    tail.stored("s", 1);
    expect([rung, tail.peek("s").seq]).toEqual([1, 1]);
    // Of listening, of sending, and of looking for live text. Listening is tried again.
    await expect
      .poll(() => new Set(errors.map((error) => /not \w+$/.exec(String(error))?.[0])))
      .toEqual(new Set(["not heard", "not sent", "not found"]));
    await tail.close();
    tail.stored("s", 2);
    expect(tail.peek("s").seq).toBe(2);
  });

  it("E9 other notifications on the channel are ignored unless they have the form of a wake-up", () => {
    for (const odd of ["", "hello", "{}", "null", "[]", "[1]", '{"from":"x"}'])
      expect(parseWakeUp(odd)).toBeUndefined();
    const payload = JSON.stringify(["other", ["s", 1], ["t", -1], ["u"], 4, ["v", 1.5], [5, 5], ["w", 2]]);
    expect(parseWakeUp(payload)?.sessions).toEqual([
      ["s", 1],
      ["w", 2],
    ]);
    const many = new Map(Array.from({ length: 40 }, (_, n) => [`${n}${"x".repeat(990)}`, n + 1]));
    const payloads = wakeUps("me", many);
    expect(payloads.flatMap((one) => parseWakeUp(one)?.sessions ?? [])).toEqual([...many]);
    for (const one of payloads) expect(new TextEncoder().encode(one).length).toBeLessThan(8_000);
    expect(payloads.length).toBeLessThan(8);
  });
});
