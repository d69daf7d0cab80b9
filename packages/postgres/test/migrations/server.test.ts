import { execFile } from "node:child_process";
import { readdir, readFile } from "node:fs/promises";
import { promisify } from "node:util";
import { agent, runtime } from "@pawl/core";
import { scriptedModel } from "@pawl/testing";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type TestDatabase, testDatabase } from "../../../../test/support/postgres.ts";
import { type Database, migrate, migrationFiles, migrations, postgresStore, prune } from "../../src/index.ts";

const run = promisify(execFile);
const cli = new URL("../../src/cli/main.ts", import.meta.url).pathname;

let database: TestDatabase;
beforeAll(async () => {
  database = await testDatabase();
}, 60_000);
afterAll(() => database.drop());

const versions = "SELECT version, name FROM pawl_migrations ORDER BY version";
const all = migrations.map(({ version, name }) => ({ version, name }));

async function command(...args: string[]): Promise<string> {
  const env = { ...process.env, DATABASE_URL: database.url };
  const { stdout } = await run(process.execPath, ["--conditions=@pawl/source", cli, ...args], { env });
  return stdout;
}

describe("migrations on a server", () => {
  it("E9 run once although four connections and two processes start them at once, and then again", async () => {
    const one = [database.pool({ max: 1 }), database.pool({ max: 1 })];
    const two = [database.sql({ max: 1 }), database.sql({ max: 1 })];
    await Promise.all([...[...one, ...two].map((db) => migrate(db)), command("migrate"), command("migrate")]);
    const { rows } = await database.pool().query(versions);
    expect(rows).toEqual(all);
    await migrate(database.pool());
  }, 60_000);

  it("E9 are plain SQL files that any tool can run, twice, beside migrate()", async () => {
    const own = await testDatabase();
    try {
      const pool = own.pool();
      for (const file of [...Object.values(migrationFiles()), ...Object.values(migrationFiles())])
        await pool.query(file);
      await migrate(pool);
      expect((await pool.query(versions)).rows).toEqual(all);
    } finally {
      await own.drop();
    }
  });

  it("E9 stand as files in the package: `pawl-postgres sql packages/postgres/sql` writes them", async () => {
    const wanted = migrationFiles();
    const folder = new URL("../../sql/", import.meta.url);
    expect((await readdir(folder)).sort()).toEqual(Object.keys(wanted).sort());
    for (const [name, text] of Object.entries(wanted))
      expect(await readFile(new URL(name, folder), "utf8"), name).toBe(text);
  });

  it("E9 need no rights if nothing is left to do", async () => {
    const pool = database.pool();
    const role = `${new URL(database.url).pathname.slice(1)}_app`;
    await pool.query(`CREATE ROLE ${role}`);
    await pool.query("SELECT pawl_grant_service($1)", [role]);
    const client = await pool.connect();
    try {
      await client.query(`SET ROLE ${role}`);
      await migrate(client);
      await expect(client.query("CREATE TABLE x ()")).rejects.toMatchObject({ code: "42501" });
    } finally {
      await client.query(`RESET ROLE; DROP OWNED BY ${role}; DROP ROLE ${role}`);
      client.release();
    }
  });

  it("E9 the command says what is missing", async () => {
    const env = { PATH: process.env.PATH };
    const failing = run(process.execPath, ["--conditions=@pawl/source", cli, "migrate"], { env });
    await expect(failing).rejects.toMatchObject({ code: 1, stderr: expect.stringContaining("DATABASE_URL") });
    await expect(command("what")).rejects.toMatchObject({ stderr: expect.stringContaining("migrate") });
  });
});

describe("O4 views and retention", () => {
  const count = async (db: Database, table: string, id: string) => {
    if (!("query" in db)) throw new Error("pg only");
    const column = table === "agent_sessions" ? "id" : "session_id";
    const { rows } = await db.query(`SELECT count(*)::int AS n FROM ${table} WHERE ${column} = $1`, [id]);
    return (rows[0] as { n: number }).n;
  };

  it("E4 E6 O4 the summary counts by type, and the rate of cache hits has cache writes in it", async () => {
    const pool = database.pool();
    const store = postgresStore(pool);
    await store.sessions.create({ id: "sum", userId: "viewer", agent: "coach" });
    const types = [
      "user_message",
      "llm_response",
      "llm_response",
      "tool_call",
      "error",
      "artifact",
      "tool_call",
    ];
    const events = types.map((type) => ({ type, data: "\0 \ud800", durationMs: 2.5 }) as never);
    const usage = { inputTokens: 10, outputTokens: 7, cacheReadTokens: 60, cacheWriteTokens: 30 };
    await store.append("sum", events, { appendId: "1", session: { addUsage: usage, addCostUsd: 0.015 } });
    const { rows } = await pool.query("SELECT * FROM agent_session_summaries WHERE id = 'sum'");
    expect(rows[0]).toMatchObject({ message_count: "1", llm_call_count: "2", tool_call_count: "2" });
    expect(rows[0]).toMatchObject({
      error_count: "1",
      artifact_count: "1",
      event_count: 7,
      duration_ms: 17.5,
    });
    expect(rows[0]).toMatchObject({ cache_hit_rate: 0.6, total_tokens: "107", total_cost_cents: 1.5 });
    await store.sessions.create({ id: "empty", userId: "viewer", agent: "coach" });
    const days = await pool.query(
      "SELECT session_count, total_tokens, cache_hit_rate, day::text FROM agent_daily_metrics WHERE user_id = 'viewer'",
    );
    const day = new Date().toISOString().slice(0, 10);
    expect(days.rows).toEqual([{ session_count: "2", total_tokens: "107", cache_hit_rate: 0.6, day }]);
  });

  it("E3 the session of a user is one for all processes that ask for it at once", async () => {
    const model = scriptedModel([]);
    const agents = [agent({ name: "a", model, instructions: "Test." })];
    const asked = Array.from({ length: 12 }, (_, n) =>
      runtime({
        agents,
        store: postgresStore(n % 2 === 0 ? database.pool({ max: 1 }) : database.sql({ max: 1 })),
      }),
    );
    const store = postgresStore(database.pool());
    for (let round = 1; round <= 4; round += 1) {
      const found = await Promise.all(asked.map((pawl) => pawl.getOrCreateSession("a", "at once")));
      expect(new Set(found.map(({ id }) => id)).size).toBe(1);
      expect(await store.sessions.list({ userId: "at once" })).toHaveLength(round);
      const options = { appendId: "1", session: { status: "completed" } } as const;
      await store.append(found[0]?.id ?? "", [{ type: "a.b", data: null }], options);
    }
  });

  it("E9 prune deletes old sessions with all their data, and none that is running or waiting", async () => {
    const pool = database.pool();
    const store = postgresStore(pool);
    const make = async (id: string, session: object = {}, metadata = {}) => {
      await store.sessions.create({ id, userId: "pruned", agent: "a", metadata });
      const append = { appendId: "1", session };
      await store.append(
        id,
        [1, 2].map((data) => ({ type: "a.b", data })),
        append,
      );
      await pool.query("INSERT INTO agent_session_blobs VALUES ($1, 'b', '1')", [id]);
    };
    for (const id of ["old 1", "old 2", "old 3", "young", "leased"]) await make(id);
    await make("open", { openRun: "r" });
    await make("waiting", { openRun: "r", status: "suspended" });
    await make("old 1:call", {}, { parent: { session_id: "old 1", call_id: "call" } });
    await make("open:call", {}, { parent: { session_id: "open", call_id: "call" } });
    const lease = await store.acquire("leased", "leg", 60_000);
    expect(lease).toBeDefined();
    await pool.query(
      "UPDATE agent_sessions SET updated_at = now() - interval '91 days' WHERE user_id = 'pruned' AND id <> 'young'",
    );
    const olderThan = new Date(Date.now() - 90 * 86_400_000);
    expect(await prune(pool, { olderThan, userId: "somebody else" })).toEqual({
      sessions: 0,
      events: 0,
      reservations: 0,
    });
    const gone: { id: string; userId: string }[] = [];
    const onDeleted = (some: readonly { id: string; userId: string }[]) => void gone.push(...some);
    const both = [
      prune(pool, { olderThan, batch: 2, onDeleted }),
      prune(database.sql(), { olderThan, batch: 1, onDeleted }),
    ];
    const pruned = await Promise.all(both);
    expect(gone).toHaveLength(4);
    expect(gone).toContainEqual({ id: "old 1", userId: "pruned" });
    expect(pruned.reduce((sum, { sessions }) => sum + sessions, 0)).toBe(4);
    expect(pruned.reduce((sum, { events }) => sum + events, 0)).toBe(8);
    const left = (await store.sessions.list({ userId: "pruned" })).map(({ id }) => id).sort();
    expect(left).toEqual(["leased", "open", "open:call", "waiting", "young"]);
    for (const table of ["agent_sessions", "agent_session_events", "agent_session_blobs"])
      expect(await count(pool, table, "old 1")).toBe(0);
    expect(await prune(pool, { olderThan, status: ["suspended"] })).toEqual({
      sessions: 1,
      events: 2,
      reservations: 0,
    });
    await expect(prune(pool, { olderThan: new Date(Number.NaN) })).rejects.toMatchObject({
      code: "invalid_input",
    });
    expect(await command("prune", "--older-than", "90")).toContain("sessions: 0");
  });
});
