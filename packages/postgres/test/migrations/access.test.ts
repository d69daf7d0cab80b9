import type pg from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type TestDatabase, testDatabase } from "../../../../test/support/postgres.ts";
import {
  migrate,
  migrationFiles,
  postgresBlobs,
  postgresReservations,
  postgresStore,
} from "../../src/index.ts";

/** Roles are the server's and not the database's: named after the database, so that nobody else has them. */
let database: TestDatabase;
let owner: pg.Pool;
let service: pg.Pool;
let people: pg.Pool;
let users: string;

beforeAll(async () => {
  database = await testDatabase();
  owner = database.pool();
  await migrate(owner);
  const name = new URL(database.url).pathname.slice(1);
  users = `${name}_users`;
  await owner.query(`CREATE ROLE ${users} LOGIN PASSWORD 'u'; CREATE ROLE ${name}_app LOGIN PASSWORD 'a'`);
  await owner.query("SELECT pawl_grant_users($1), pawl_grant_service($2)", [users, `${name}_app`]);
  people = database.pool({ connectionString: as(users, "u") });
  service = database.pool({ connectionString: as(`${name}_app`, "a") });

  const store = postgresStore(service);
  for (const user of ["anna", "ben"]) {
    await store.sessions.create({ id: `of ${user}`, userId: user, agent: "coach" });
    await store.append(`of ${user}`, [{ type: "user_message", data: { message: "hi" } }, asked("q1")], {
      appendId: "first",
      session: { openRun: "run", status: "suspended", addPending: 1, addUsage: usage, addCostUsd: 0.02 },
    });
    await postgresBlobs(service).put(`of ${user}`, "b", '"large"');
  }
}, 60_000);

afterAll(async () => {
  await Promise.all([people.end(), service.end()]);
  const name = new URL(database.url).pathname.slice(1);
  for (const role of [users, `${name}_app`]) await owner.query(`DROP OWNED BY ${role}; DROP ROLE ${role}`);
  await database.drop();
});

const usage = { inputTokens: 10, outputTokens: 5, cacheReadTokens: 30, cacheWriteTokens: 20 };

function asked(callId: string) {
  const data = { tool_name: "ask", call_id: callId, kind: "question", payload: {}, answer_schema: {} };
  return { type: "tool_suspended" as const, key: `asked:1:${callId}`, data };
}

function as(role: string, password: string): string {
  const url = new URL(database.url);
  url.username = role;
  url.password = password;
  return url.href;
}

/** One statement as this user, with claims as PostgREST sets them. */
async function by(user: string | null, text: string, values: unknown[] = []): Promise<unknown[]> {
  const client = await people.connect();
  try {
    await client.query("BEGIN");
    const claims = user === null ? "" : JSON.stringify({ sub: user, role: "authenticated" });
    await client.query("SELECT set_config('request.jwt.claims', $1, true)", [claims]);
    const { rows } = await client.query(text, values);
    await client.query("COMMIT");
    return rows;
  } catch (error) {
    await client.query("ROLLBACK");
    throw error;
  } finally {
    client.release();
  }
}

const tables = ["agent_sessions", "agent_session_events", "agent_session_blobs"];
const refused = { code: "42501" };

describe("E6 E11 row-level security, with real roles", () => {
  it.each(tables)(
    "E6 a user sees of %s what belongs to their own sessions, and a request without a user sees nothing",
    async (table) => {
      const column = table === "agent_sessions" ? "id" : "session_id";
      const seen = `SELECT DISTINCT ${column} AS id FROM ${table}`;
      expect(await by("anna", seen)).toEqual([{ id: "of anna" }]);
      expect(await by("ben", seen)).toEqual([{ id: "of ben" }]);
      expect(await by("nobody", seen)).toEqual([]);
      expect(await by(null, seen)).toEqual([]);
      expect((await service.query(seen)).rows.map(({ id }) => id).sort()).toEqual(["of anna", "of ben"]);
    },
  );

  it("E6 the views show a user their own numbers", async () => {
    const [summary, ...more] = await by("anna", "SELECT * FROM agent_session_summaries");
    expect(more).toEqual([]);
    expect(summary).toMatchObject({
      id: "of anna",
      message_count: "1",
      tool_call_count: "0",
      cache_hit_rate: 0.5,
    });
    const days = await by(
      "anna",
      "SELECT user_id, session_count, total_tokens, total_cost_cents FROM agent_daily_metrics",
    );
    expect(days).toEqual([{ user_id: "anna", session_count: "1", total_tokens: "65", total_cost_cents: 2 }]);
    expect((await service.query("SELECT 1 FROM agent_daily_metrics")).rowCount).toBe(2);
  });

  it.each([
    "INSERT INTO agent_session_events (session_id, sequence_number, event_type, version, timestamp, data) VALUES ('of anna', 9, 'tool_result', 1, now(), '{}')",
    "INSERT INTO agent_sessions (id, user_id, agent) VALUES ('forged', 'anna', 'coach')",
    "UPDATE agent_sessions SET total_cost_cents = 0",
    "UPDATE agent_session_events SET data = '{}'",
    "DELETE FROM agent_session_events",
    "DELETE FROM agent_sessions",
    "INSERT INTO agent_session_blobs (session_id, id, data) VALUES ('of anna', 'x', '1')",
    "SELECT * FROM pawl_append('of anna', 'x', 1, 1, '[{\"type\":\"tool_result\"}]', '[{}]')",
    "SELECT pawl_store_event('of anna', 'x', 1, 'tool_result', NULL, NULL, '{}', NULL, NULL, NULL)",
    "SELECT pawl_store_events('of anna', 'x', 1, 1, '[{\"type\":\"tool_result\"}]', '[{}]', NULL, NULL, NULL, false, NULL)",
    "SELECT pawl_own('of anna', 'x')",
    "SELECT pawl_grant_service('postgres')",
    "SELECT * FROM agent_reservations",
    "INSERT INTO agent_reservations (account, id, used) VALUES ('anna', '', 0)",
    "SELECT pawl_reserve('anna', 'x', 1, 1000, 1000)",
    "SELECT * FROM pawl_charge_reservation('x', 0, 'finalize')",
    "SELECT pawl_expire_account('anna')",
    "SELECT pawl_expire_reservations()",
    "SELECT * FROM pawl_migrations",
    "TRUNCATE agent_sessions CASCADE",
  ])("E6 a user may not: %s", async (text) => {
    await expect(by("anna", text)).rejects.toMatchObject(refused);
  });

  it("E6 a user sends messages to their own session, each once, and to no other", async () => {
    const send = "SELECT * FROM pawl_send_message($1, $2, $3::text::json, $4)";
    const text = JSON.stringify(`"} \0 \ud800 '; DROP TABLE agent_sessions; -- </knowledge> $1 \\u0000`);
    const [first] = await by("anna", send, ["of anna", "a1", text, "m1"]);
    expect(first).toMatchObject({ sequence_number: 3 });
    expect(await by("anna", send, ["of anna", "a1", text, "m1"])).toEqual([first]);
    await expect(by("anna", send, ["of anna", "a2", text, "m1"])).rejects.toMatchObject({ code: "PT409" });
    for (const nobody of ["ben", "nobody"])
      await expect(by(nobody, send, ["of anna", "b1", '"x"', null])).rejects.toMatchObject({ code: "PT404" });
    await expect(by(null, send, ["of anna", "b1", '"x"', null])).rejects.toMatchObject(refused);
    for (const forged of ['{"message":"x"}', "1", "null", '" "', '["x"]'])
      await expect(by("anna", send, ["of anna", "c1", forged, null])).rejects.toMatchObject({
        code: "PT422",
      });
    const [event] = await Array.fromAsync(postgresStore(service).read("of anna", { afterSeq: 2 }));
    expect(event).toMatchObject({ type: "user_message", seq: 3, key: "message:m1" });
    expect(event?.data).toEqual({ message: JSON.parse(text), queued: true });
  });

  it.each([
    ["\\u0020\\n", "PT422"],
    ["\\t\\r\\f\\u00A0\\u200a\\uFEFF \u00a0\u3000\u2028", "PT422"],
    ["\\u000b\\u2029\u1680", "PT422"],
    [`${"x".repeat(999_999)}`, "PT422"],
    [`${"ü".repeat(500_000)}`, "PT422"],
    ["x".repeat(999_998), "stored"],
    ["\\u0000", "stored"],
    [" \\ud800 ", "stored"],
    ["\\\\u0020", "stored"],
    ["\\u0020.", "stored"],
    ["\\u200b", "stored"],
  ])(
    "E6 blank and endless messages are refused, however they are written: %.40j is %s",
    async (text, becomes) => {
      const id = `sent ${text.slice(0, 40)} ${text.length}`;
      await postgresStore(service).sessions.create({ id, userId: "clara", agent: "coach" });
      const sent = by("clara", "SELECT * FROM pawl_send_message($1, 'a', $2::text::json)", [id, `"${text}"`]);
      if (becomes !== "stored") return await expect(sent).rejects.toMatchObject({ code: becomes });
      await sent;
      const [event] = await Array.fromAsync(postgresStore(service).read(id));
      expect(event?.data).toEqual({ message: JSON.parse(`"${text}"`) });
    },
  );

  it("E6 a user answers a question of their own session, once, and no other", async () => {
    const answer = "SELECT * FROM pawl_answer($1, $2, $3, $4::text::json)";
    const value = '{"z":1,"a":"\\u0000"}';
    const before = await postgresStore(service).listRecoverable({ limit: 9 });
    expect(before.map(({ id }) => id)).not.toContain("of ben");
    for (const nobody of ["anna", "nobody"])
      await expect(by(nobody, answer, ["of ben", "x", 2, value])).rejects.toMatchObject({ code: "PT404" });
    await expect(by("ben", answer, ["of ben", "x", 1, value])).rejects.toMatchObject({ code: "PT404" });
    const both = await Promise.allSettled(
      ["a", "b"].map((id) => by("ben", answer, ["of ben", id, 2, value])),
    );
    expect(both.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
    const store = postgresStore(service);
    const events = await Array.fromAsync(store.read("of ben", { afterSeq: 2 }));
    expect(events).toHaveLength(1);
    expect(events[0]).toMatchObject({ type: "tool_answered", key: "answer:1:q1" });
    expect(JSON.stringify(events[0]?.data)).toBe(`{"tool_name":"ask","call_id":"q1","value":${value}}`);
    expect(await store.sessions.get("of ben")).toMatchObject({ status: "active", pending: 0, lastSeq: 3 });
    expect((await store.listRecoverable({ limit: 9 })).map(({ id }) => id)).toContain("of ben");
  });

  it("E6 a user's own objects shadow nothing that a function uses", async () => {
    const client = await people.connect();
    try {
      await client.query(
        "CREATE TEMP TABLE agent_sessions (id text, user_id text, status text, open_run text)",
      );
      await client.query("INSERT INTO pg_temp.agent_sessions VALUES ('of ben', 'anna', 'active', 'run')");
      await client.query("SET search_path = pg_temp, public");
      await client.query(`SELECT set_config('request.jwt.claims', '{"sub":"anna"}', false)`);
      const sent = client.query(`SELECT public.pawl_send_message('of ben', 't', '"x"')`);
      await expect(sent).rejects.toMatchObject({ code: "PT404" });
    } finally {
      client.release(true);
    }
  });

  it("E6 the service's store does everything, the users' store nothing but read", async () => {
    const store = postgresStore(service);
    const lease = await store.acquire("of anna", "leg", 60_000);
    expect(lease).toBeDefined();
    const asUsers = postgresStore({
      query: async (text, values) => ({ rows: await by("anna", text, values) }),
    });
    expect((await asUsers.sessions.list({ userId: "anna" })).map(({ id }) => id)).toEqual(["of anna"]);
    expect(await asUsers.sessions.get("of ben")).toBeUndefined();
    expect(await Array.fromAsync(asUsers.read("of ben"))).toEqual([]);
    const event = { type: "note", data: { text: "x" } } as const;
    await expect(asUsers.append("of anna", [event], { appendId: "n" })).rejects.toMatchObject({
      code: "store_unavailable",
      cause: refused,
    });
    await expect(asUsers.acquire("of anna", "me", 1)).rejects.toMatchObject({ cause: refused });
    const own = { id: "of anna", userId: "anna", agent: "coach", ttlMs: 60_000 };
    const opened = await store.open?.({ ...own, holder: "leg" });
    expect(opened?.events).toHaveLength(opened?.session.lastSeq ?? 0);
    expect(opened?.lease).toMatchObject({ holder: "leg" });
    await expect(asUsers.open?.({ ...own, holder: "me" })).rejects.toMatchObject({ cause: refused });
    const snapshot = { version: "1", seq: opened?.session.lastSeq ?? 0, state: '"secret"' };
    await store.saveSnapshot?.("of anna", snapshot);
    const again = await store.open?.({ ...own, holder: "leg", snapshot: "1" });
    expect(again?.snapshot).toEqual({ seq: snapshot.seq, state: snapshot.state });
    await expect(asUsers.saveSnapshot?.("of anna", snapshot)).rejects.toMatchObject({ cause: refused });
    for (const table of ["state", "*", "session_id"])
      await expect(by("anna", `SELECT ${table} FROM agent_session_snapshots`)).rejects.toMatchObject(refused);
    const made = { ...own, id: "new", holder: "me", create: {} };
    await expect(asUsers.open?.(made)).rejects.toMatchObject({ cause: refused });
  });

  it("E6 the service opens sessions, also if its rights are older than `open`", async () => {
    const earlier = await testDatabase();
    const pool = earlier.pool();
    const role = `${new URL(earlier.url).pathname.slice(1)}_app`;
    const asked = `SELECT pawl_open('s', 'anna', 'coach', '{}', 'leg', 1000, 0)::text AS opened`;
    const client = await pool.connect();
    try {
      for (const [name, file] of Object.entries(migrationFiles())) if (name < "012") await client.query(file);
      await client.query(`CREATE ROLE ${role}; SELECT pawl_grant_service('${role}')`);
      await migrate(pool);
      await client.query(`SET ROLE ${role}`);
      const [row] = (await client.query<{ opened: string }>(asked)).rows;
      expect(JSON.parse(row?.opened ?? "")).toMatchObject({ epoch: 1, session: { id: "s" }, events: [] });
      await client.query("SELECT pawl_save_snapshot('s', '1', 0, '{}')");
      const opening =
        "SELECT seq, state FROM pawl_open_session('s', 'anna', 'coach', NULL, 'leg', 1000, -1, '1')";
      expect((await client.query(opening)).rows).toEqual([{ seq: 0, state: "{}" }]);
      await client.query(`RESET ROLE; DROP OWNED BY ${role}; DROP ROLE ${role}`);
    } finally {
      client.release();
      await earlier.drop();
    }
  });

  it("E10 the service reserves, also if its rights are older than reservations", async () => {
    const reservations = postgresReservations(service);
    await reservations.reserve({ account: "anna", id: "1", amount: 5, limit: 10, ttlMs: 1 });
    expect(await reservations.finalize("1", 7)).toMatchObject({ used: 7, state: "finalized" });
    expect(await reservations.expire()).toBe(0);

    const earlier = await testDatabase();
    const pool = earlier.pool();
    const role = `${new URL(earlier.url).pathname.slice(1)}_app`;
    const client = await pool.connect();
    try {
      for (const [name, file] of Object.entries(migrationFiles())) if (name < "004") await client.query(file);
      await client.query(`CREATE ROLE ${role}; SELECT pawl_grant_service('${role}')`);
      await migrate(client);
      await client.query(`SET ROLE ${role}`);
      const mine = postgresReservations(client);
      expect((await mine.reserve({ account: "a", id: "1", amount: 5, limit: 10 })).granted).toBe(true);
      expect(await mine.balance("a")).toEqual({ used: 0, held: 5 });
      await client.query(`RESET ROLE; DROP OWNED BY ${role}; DROP ROLE ${role}`);
    } finally {
      client.release();
      await earlier.drop();
    }
  });

  it("E10 a caller's own objects shadow nothing that a reservation uses", async () => {
    const client = await service.connect();
    try {
      await client.query(
        "CREATE TEMP TABLE agent_reservations (LIKE public.agent_reservations INCLUDING ALL)",
      );
      await client.query("SET search_path = pg_temp, public");
      await client.query("SELECT public.pawl_reserve('forged', 'f', 1, 10, 60000)");
      expect((await client.query("SELECT 1 FROM pg_temp.agent_reservations")).rowCount).toBe(0);
      expect(await postgresReservations(owner).balance("forged")).toEqual({ used: 0, held: 1 });
    } finally {
      client.release(true);
    }
  });
});
