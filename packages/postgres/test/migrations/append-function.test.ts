import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type TestDatabase, testDatabase } from "../../../../test/support/postgres.ts";
import { migrate, migrationFiles, postgresStore } from "../../src/index.ts";

const note = (text: string) => ({ type: "note", data: { text } }) as const;
const usage = { inputTokens: 1, outputTokens: 2, cacheReadTokens: 4, cacheWriteTokens: 8 };

/** How the versions before migration 6 append. */
const earlier = `SELECT base, at FROM pawl_append($1::text, $2::text, $3::integer, $4::integer, $5::text::json,
  $6::text::json, $7::integer, $8::text, $9::integer, $10::boolean, $11::text::json)`;

describe("the functions that append", () => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await testDatabase();
    await migrate(database.pool());
  }, 60_000);
  afterAll(() => database.drop());

  const session = async (id: string) => {
    await postgresStore(database.pool()).sessions.create({ id, userId: "u", agent: "a" });
    return id;
  };

  it("E9 a process of an earlier version appends next to this one", async () => {
    const id = await session("rolling");
    const store = postgresStore(database.pool());
    const here = await store.append(id, [note("1")], { appendId: "1" });
    const heads = JSON.stringify([
      { type: "note", key: "k" },
      { type: "note", duration_ms: 2.5 },
    ]);
    const payloads = '[{"text":"2 \\u0000"},{"text":"3"}]';
    const patch = JSON.stringify({ input_tokens: 5, status: "completed" });
    const values = [id, "2", 1, 2, heads, payloads, null, null, 1, false, patch];
    const there = await database.pool().query(earlier, values);
    expect(there.rows).toEqual([{ base: 1, at: expect.stringMatching(/^\d{4}-.*Z$/) }]);
    const log = await Array.fromAsync(store.read(id));
    expect(log.slice(0, 1)).toEqual(here);
    expect(log.slice(1)).toMatchObject([
      { seq: 2, key: "k", at: there.rows[0].at, data: { text: "2 \0" } },
      { seq: 3, durationMs: 2.5, data: { text: "3" } },
    ]);
    expect(
      await store.append(id, [{ ...note("again"), key: "k" }, note("again")], { appendId: "2" }),
    ).toEqual(log.slice(1));
    const refused = await database.pool().query(earlier, values.with(1, "3"));
    expect(refused.rows).toEqual([]);
  });

  it("E6 E4 every way of appending fills in the columns that SQL reads", async () => {
    const id = await session("columns");
    const store = postgresStore(database.sql());
    await store.append(id, [note("1")], { appendId: "1" });
    await store.append(id, [note("2")], { appendId: "2", session: { addUsage: usage } });
    await store.append(id, [note("3"), note("4")], { appendId: "3", session: { addUsage: usage } });
    const heads = '[{"type":"note"}]';
    await database.pool().query(earlier, [id, "4", 1, 1, heads, "[1]", null, null, null, false, null]);
    const { rows } = await database
      .pool()
      .query("SELECT id FROM agent_session_events WHERE session_id = $1 ORDER BY sequence_number", [id]);
    expect(rows.map((row) => row.id)).toEqual([1, 2, 3, 4, 5].map((seq) => `columns:${seq}`));
    const [row] = (
      await database
        .pool()
        .query(
          "SELECT total_tokens, cached_tokens, cache_hit_rate FROM agent_session_summaries WHERE id = $1",
          [id],
        )
    ).rows;
    expect(row).toEqual({ total_tokens: "30", cached_tokens: "8", cache_hit_rate: 4 / 13 });
  });

  it("E6 an unknown status is refused", async () => {
    const id = await session("status");
    const store = postgresStore(database.pool());
    const bad = store.append(id, [note("1")], { appendId: "1", session: { status: "gone" as never } });
    await expect(bad).rejects.toMatchObject({ code: "store_unavailable", cause: { code: "23514" } });
    expect(await store.sessions.get(id)).toMatchObject({ status: "active", lastSeq: 0 });
  });

  it("E6 nobody's search_path leads an append elsewhere", async () => {
    const id = await session("path");
    const client = await database.pool().connect();
    try {
      await client.query(`CREATE TEMP TABLE agent_sessions (LIKE public.agent_sessions INCLUDING ALL);
        CREATE TEMP TABLE agent_session_events (LIKE public.agent_session_events INCLUDING ALL);
        INSERT INTO pg_temp.agent_sessions (id, user_id, agent) VALUES ('path', 'u', 'a');
        SET search_path = pg_temp, public`);
      const store = postgresStore(client);
      expect(await store.append(id, [note("1")], { appendId: "1" })).toMatchObject([{ seq: 1 }]);
      await store.append(id, [note("2"), note("3")], { appendId: "2", session: { status: "completed" } });
      await client.query(earlier, [id, "3", 1, 1, '[{"type":"note"}]', "[1]", null, null, null, false, null]);
      expect((await client.query("SELECT 1 FROM pg_temp.agent_session_events")).rowCount).toBe(0);
    } finally {
      client.release(true);
    }
    expect(await postgresStore(database.pool()).sessions.get(id)).toMatchObject({ lastSeq: 4 });
  });

  it("E6 exactly the roles that could append before the migration can after it", async () => {
    const own = await testDatabase();
    const client = await own.pool().connect();
    const role = (name: string) => `${new URL(own.url).pathname.slice(1)}_${name}`;
    const roles = ["service", "direct", "users", "stranger"].map(role);
    const [service, direct, users, stranger] = roles;
    try {
      for (const name of roles) await client.query(`CREATE ROLE ${name}`);
      for (const [name, file] of Object.entries(migrationFiles())) if (name < "006") await client.query(file);
      await client.query(`SELECT pawl_grant_service('${service}'), pawl_grant_users('${users}');
        GRANT EXECUTE ON FUNCTION pawl_append TO ${direct};
        GRANT ALL ON agent_reservations TO ${users};
        ALTER DEFAULT PRIVILEGES GRANT ALL ON FUNCTIONS TO ${users}, ${stranger}`);
      await migrate(client);
      const { rows } = await client.query(
        `SELECT r.role, p.proname AS name FROM unnest($1::text[]) AS r (role), pg_proc p
         WHERE starts_with(p.proname, 'pawl_store_') AND has_function_privilege(r.role, p.oid, 'EXECUTE')
         ORDER BY 1, 2`,
        [roles],
      );
      const both = ["pawl_store_event", "pawl_store_events"];
      expect(rows).toEqual(
        [direct, service].flatMap((name) => both.map((store) => ({ role: name, name: store }))),
      );
      const reads = `SELECT has_table_privilege('${users}', 'agent_reservations', 'SELECT') AS may`;
      expect((await client.query(reads)).rows).toEqual([{ may: false }]);
      await client.query(
        `GRANT ALL ON agent_reservations TO ${stranger}; SELECT pawl_grant_users('${stranger}')`,
      );
      expect((await client.query(reads.replace(`${users}`, `${stranger}`))).rows).toEqual([{ may: false }]);

      await postgresStore(client).sessions.create({ id: "s", userId: "u", agent: "a" });
      await client.query(`SET ROLE ${service}`);
      const store = postgresStore(client);
      await store.append("s", [note("1")], { appendId: "1" });
      await store.append("s", [note("2")], { appendId: "2", release: true });
      await client.query(`SET ROLE ${stranger}`);
      await expect(store.append("s", [note("3")], { appendId: "3" })).rejects.toMatchObject({
        cause: { code: "42501" },
      });
      await client.query("RESET ROLE");
      for (const name of roles) await client.query(`DROP OWNED BY ${name}; DROP ROLE ${name}`);
    } finally {
      client.release(true);
      await own.drop();
    }
  });
});
