import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import type { Session, StoredEvent } from "@pawl/core";
import { type EmbeddedStore, embeddedStore } from "@pawl/postgres/embedded";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { NODE_FLAGS } from "../../../../test/support/node-flags.ts";
import { type TestDatabase, testDatabase } from "../../../../test/support/postgres.ts";
import { copyLog, migrate, postgresBlobs, postgresStore, type Queryable } from "../../src/index.ts";

const run = promisify(execFile);
const cli = new URL("../../src/cli/main.ts", import.meta.url).pathname;
const ids = ["\ufeff'; --", "b", "empty", "long", "open"];

let database: TestDatabase;
let root: string;
let source: EmbeddedStore;

beforeAll(async () => {
  database = await testDatabase({ timezone: "Asia/Kathmandu", datestyle: "German" });
  root = await mkdtemp(join(tmpdir(), "pawl-"));
  source = await embeddedStore();
  for (const id of ids)
    await source.sessions.create({ id, userId: id, agent: "a", metadata: { "\ufeff": id } });
  const note = (data: string) => ({ type: "a.b" as const, data: { z: data, a: "\0 \ud800" }, key: data });
  await source.append(ids[0] ?? "", [note("'"), note("\\")], { appendId: "both" });
  await source.append("b", [note("b")], {
    appendId: "\ufeff1",
    session: { status: "error", addCostUsd: 0.1 },
  });
  for (const part of [0, 1, 2])
    await source.append(
      "long",
      Array.from({ length: 411 }, (_, n) => note(`${part} ${n}`)),
      { appendId: `${part}` },
    );
  await source.blobs.put("long", "blob", '"\\u0000"');
  const waits = { status: "suspended", waitsFor: 1, wakeAt: "2999-12-31T23:59:59.123Z" } as const;
  await source.append("open", [note("open")], {
    appendId: "1",
    session: { openRun: "run", addPending: 1, ...waits },
  });
}, 60_000);

afterAll(async () => {
  await source.close();
  await rm(root, { recursive: true, force: true });
  await database.drop();
});

type Readable = Pick<EmbeddedStore, "sessions" | "read">;

async function all(store: Readable): Promise<[Session | undefined, StoredEvent[]][]> {
  return await Promise.all(
    ids.map(
      async (id): Promise<[Session | undefined, StoredEvent[]]> => [
        await store.sessions.get(id),
        await Array.fromAsync(store.read(id)),
      ],
    ),
  );
}

describe("E9 copying a log", () => {
  it("E9 Q4 a copy that is interrupted at any statement continues, and is identical in the end", async () => {
    const pool = database.pool();
    await migrate(pool);
    const events = 2 + 1 + 1233 + 1;
    for (let left = 0; ; left += 1) {
      let asked = 0;
      const dying = {
        query: async (text: string, values?: unknown[]) => {
          asked += 1;
          if (asked > left) throw new Error("cut off");
          return await pool.query(text, values);
        },
      };
      const copied = await copyLog(source.db, dying).catch((error: Error) => error.message);
      for (const { lastSeq } of await postgresStore(pool).listRecoverable({ limit: 9 }))
        expect(lastSeq).toBe(1);
      if (typeof copied === "object") break;
      expect(copied).toContain("cut off");
      await pool.query("DELETE FROM agent_sessions WHERE id = 'b'");
    }
    expect(await all(postgresStore(pool))).toEqual(await all(source));
    expect(await copyLog(source.db, database.sql())).toEqual({
      sessions: 0,
      events: 0,
      blobs: 0,
      present: 5,
    });
    expect(await postgresBlobs(pool).get("long", "blob")).toBe('"\\u0000"');
    expect(events).toBe((await all(source)).flatMap(([, one]) => one).length);

    const both = ["'", "\\"].map((key) => ({ type: "a.b" as const, data: 1, key }));
    const repeated = await postgresStore(pool).append(ids[0] ?? "", both, { appendId: "both" });
    expect(repeated).toHaveLength(2);
    const [event] = await postgresStore(pool).append("b", [{ type: "a.b", data: 1 }], { appendId: "2" });
    expect(event?.seq).toBe(2);
  }, 60_000);

  it("Q4 one statement copies at most 4 MB and the event that exceeds them", async () => {
    const [large, target] = [await testDatabase(), await testDatabase()];
    onTestFinished(async () => void (await Promise.all([large.drop(), target.drop()])));
    const [from, to] = [large.pool(), target.pool()];
    await Promise.all([migrate(from), migrate(to)]);
    const store = postgresStore(from);
    await store.sessions.create({ id: "s", userId: "ada", agent: "a" });
    // Random, so that Postgres cannot compress it.
    const part = () => ({ type: "a.b" as const, data: randomBytes(750_000).toString("base64") });
    for (let n = 0; n < 7; n += 1) await store.append("s", [part()], { appendId: `${n}` });
    const sizes: number[] = [];
    const watched: Queryable = {
      query: async (text, values) => {
        const answer = await from.query(text, values);
        if (text.includes("AS head")) sizes.push(answer.rows.length);
        return answer;
      },
    };
    expect(await copyLog(watched, to)).toMatchObject({ sessions: 1, events: 7 });
    expect(sizes).toEqual([4, 3]);
    expect(await Array.fromAsync(postgresStore(to).read("s"))).toEqual(
      await Array.fromAsync(store.read("s")),
    );
  });

  it("Q4 one statement copies the events of many short sessions", async () => {
    const [short, target] = [await testDatabase(), await testDatabase()];
    onTestFinished(async () => void (await Promise.all([short.drop(), target.drop()])));
    const [from, to] = [short.pool(), target.pool()];
    await Promise.all([migrate(from), migrate(to)]);
    const store = postgresStore(from);
    for (let n = 0; n < 40; n += 1) {
      await store.sessions.create({ id: `${n}`, userId: "ada", agent: "a" });
      const notes = Array.from({ length: 30 }, () => ({ type: "a.b" as const, data: n }));
      await store.append(`${n}`, notes, { appendId: "1" });
    }
    let statements = 0;
    const counted = (db: Queryable): Queryable => ({
      query: async (text, values) => {
        statements += 1;
        return await db.query(text, values);
      },
    });
    const done = await copyLog(counted(from), counted(to));
    expect(done).toMatchObject({ sessions: 40, events: 1_200 });
    // 2 pages of sessions, their blobs, what the target has, their beginning and end; 2 reads and writes.
    expect(statements).toBe(2 + 1 + 1 + 2 + 2 * 2);
  });

  it("E9 a different session with the same id is not changed, and is reported", async () => {
    const own = await testDatabase();
    try {
      const pool = own.pool();
      await migrate(pool);
      await postgresStore(pool).sessions.create({ id: "b", userId: "b", agent: "a" });
      await expect(copyLog(source.db, pool)).rejects.toMatchObject({ code: "conflict" });
      expect((await postgresStore(pool).sessions.get("b"))?.lastSeq).toBe(0);
      expect(await copyLog(source.db, pool, { userId: "open" })).toMatchObject({ sessions: 1, events: 1 });
    } finally {
      await own.drop();
    }
  });

  it("E9 the command imports a server's log into a directory, and exports it from there", async () => {
    const own = await testDatabase();
    const command = (url: string, ...args: string[]) =>
      run(process.execPath, [...NODE_FLAGS, cli, ...args, "--url", url]);
    expect((await command(database.url, "import", join(root, "log"))).stdout).toContain(
      "sessions: 5, events: 1238",
    );
    expect((await command(own.url, "export", join(root, "log"))).stdout).toContain(
      "sessions: 5, events: 1238",
    );
    expect(await all(postgresStore(own.pool()))).toEqual(await all(postgresStore(database.pool())));
    expect(await postgresBlobs(own.pool()).get("long", "blob")).toBe('"\\u0000"');
    await own.drop();
  }, 90_000);
});
