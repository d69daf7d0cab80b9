import { toJson } from "@pawl/core";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { migrate, migrationFiles, postgresBlobs, postgresStore } from "../../src/index.ts";
import { type UsersDatabase, usersDatabase } from "../support/as-user.ts";

const refused = { code: "42501" };
const hidden = {
  agent_session_events: ["append_id", "append_size"],
  agent_sessions: ["lease_holder", "lease_epoch", "lease_expires_at", "lease_since"],
};
/** Whether a role may read a column, as `<table>.<column>`. */
const readable = `SELECT c.table_name || '.' || c.column_name AS name FROM information_schema.columns c
  WHERE c.table_name IN ('agent_sessions', 'agent_session_events')
    AND has_column_privilege($1, c.table_name, c.column_name, 'SELECT')`;

describe("E6 what a user can read, choose and call", () => {
  let database: UsersDatabase;
  beforeAll(async () => {
    database = await usersDatabase();
    await migrate(database.pool());
    await database.pool().query("SELECT pawl_grant_users($1), pawl_grant_rpc_users($1)", [database.users]);
    const store = postgresStore(database.pool());
    await store.sessions.create({ id: "s", userId: "anna", agent: "a" });
    await store.acquire("s", "leg", 60_000);
    await store.append("s", [{ type: "note", data: { text: "x" } }], { appendId: "leg:1" });
  }, 60_000);
  afterAll(() => database.drop());

  const sqlOf = (table: string, column: string) => [
    `SELECT ${column} FROM ${table}`,
    `SELECT * FROM ${table}`,
    `SELECT row_to_json(t) FROM ${table} t`,
    `SELECT t::text FROM ${table} t`,
    `SELECT 1 FROM ${table} WHERE ${column} IS NOT NULL`,
    `SELECT 1 FROM ${table} ORDER BY ${column}`,
    `SELECT count(${column}) FROM ${table}`,
  ];
  it.each(
    Object.entries(hidden).flatMap(([table, columns]) =>
      columns.flatMap((column) => sqlOf(table, column).map((sql) => [column, sql] as const)),
    ),
  )("E6 reads no %s: %s", async (_column, sql) => {
    await expect(database.by("anna", sql)).rejects.toMatchObject(refused);
  });

  it.each([
    "SELECT pawl_rpc_explain('s', 'leg:1', '[]')",
    "SELECT pawl_rpc_recoverable(1, NULL)",
    "SELECT pawl_rpc_acquire('s', 'leg', 1000)",
    "SELECT pawl_rpc_renew('s', 'leg', 1, 1000)",
    "SELECT pawl_rpc_release('s', 'leg', 1)",
    "SELECT pawl_rpc_append('s', 'leg:2', 1, 1, '[]', '[]', 1, 'leg', 1, false, NULL)",
    "SELECT pawl_store_event('s', 'leg:2', 1, 'note', NULL, NULL, '{}', 1, 'leg', 1)",
    "SELECT pawl_own('s', 'leg:1')",
    "SELECT data FROM agent_session_live",
  ])("E6 calls nothing that takes or gives a lease or an append id of a run: %s", async (sql) => {
    await expect(database.by("anna", sql)).rejects.toMatchObject(refused);
  });

  it("E6 reads all other columns, the views, and sessions and events over PostgREST's functions", async () => {
    const names = (await database.pool().query(readable, [database.users])).rows.map(({ name }) => name);
    const all = (await database.pool().query(readable, ["postgres"])).rows.map(({ name }) => name);
    const lost = Object.entries(hidden).flatMap(([table, columns]) =>
      columns.map((one) => `${table}.${one}`),
    );
    expect(names.sort()).toEqual(all.filter((name) => !lost.includes(name)).sort());
    expect(await database.by("anna", "SELECT event_count FROM agent_session_summaries")).toHaveLength(1);
    expect(await database.by("anna", "SELECT day FROM agent_daily_metrics")).toHaveLength(1);
    const [row] = await database.by("anna", "SELECT pawl_rpc_sessions('anna', NULL, NULL, 9) AS found");
    expect(row?.found).toMatchObject({ sessions: [{ id: "s", user_id: "anna" }] });
    const [events] = await database.by("anna", "SELECT pawl_rpc_events('s', 0, NULL, 9) AS found");
    expect(events?.found).toMatchObject({ events: [{ seq: 1, type: "note" }] });
  });

  it("E6 chooses of a key only the part after `message:`, so it is never the key of anything else", async () => {
    const keys = ["end:r", "result:1:q", "answer:1:q", "landing:r", "\n", "'; --"];
    for (const [n, key] of keys.entries())
      await database.by("anna", "SELECT * FROM pawl_send_message('s', $1, '\"x\"', $2)", [`k${n}`, key]);
    const events = await Array.fromAsync(
      postgresStore(database.pool()).read("s", { types: ["user_message"] }),
    );
    expect(events.map(({ key }) => key)).toEqual(keys.map((key) => `message:${key}`));
  });

  it("E6 writes nothing into the session of a task: it is the calling run's", async () => {
    const store = postgresStore(database.pool());
    const metadata = { parent: { session_id: "s", call_id: "q" } };
    await store.sessions.create({ id: "s:q", userId: "anna", agent: "a/b", metadata });
    const question = await asked("s:q");
    for (const [sql, values] of [
      ["SELECT * FROM pawl_send_message($1, 'm', '\"x\"', 'task')", ["s:q"]],
      ["SELECT * FROM pawl_answer($1, 'm', $2, '1')", ["s:q", question]],
    ] as const)
      await expect(database.by("anna", sql, values)).rejects.toMatchObject({ code: "PT422" });
    expect((await store.sessions.get("s:q"))?.lastSeq).toBe(question);
    // An application's own metadata of that name means nothing.
    await store.sessions.create({ id: "other", userId: "anna", agent: "a", metadata });
    await database.by("anna", "SELECT * FROM pawl_send_message('other', 'm', '\"x\"')");
  });

  /** A question in this session, with a payload as JSON; its number. */
  async function asked(session: string, data: object = { payload: {} }): Promise<number> {
    const store = postgresStore(database.pool());
    const about = { tool_name: 'a"s\\k', call_id: "q\u0000", kind: "k", answer_schema: {}, ...data };
    const key = `asked:${crypto.randomUUID()}`;
    const [event] = await store.append(session, [{ type: "tool_suspended", key, data: about as never }], {
      appendId: key,
      session: { openRun: "r", status: "suspended", addPending: 1 },
    });
    return event?.seq ?? 0;
  }

  const nested = (levels: number, inside = "") => "[".repeat(levels) + inside + "]".repeat(levels);
  const sideBySide = (lists: number, levels: number) => `${`${nested(levels)},`.repeat(lists)}1`;
  const long = (bytes: number) => JSON.stringify("x".repeat(bytes - 2));
  it.each([
    ["500 levels", nested(500, "1"), "stored"],
    ["500 levels of objects", `${'{"\\\\":'.repeat(500)}1${"}".repeat(500)}`, "stored"],
    ["many lists side by side", `[${"[[]],".repeat(1_000)}[]]`, "stored"],
    ["a text full of brackets", JSON.stringify(`${"[".repeat(600)}\\"${"{".repeat(600)}`), "stored"],
    [
      "texts with quotes and backslashes",
      JSON.stringify(Array(600).fill(['\\"[[', "\\", '"', "\0"])),
      "stored",
    ],
    ["38,000 lists of 12 levels, 488 levels deep", nested(488, sideBySide(38_000, 12)), "stored"],
    ["55,000 lists of 8 levels, 492 levels deep", nested(492, sideBySide(55_000, 8)), "stored"],
    ["texts between 500 levels", `[${'"[[",{"[":1},'.repeat(70_000)}${nested(499)}]`, "stored"],
    ["1,000,000 bytes", long(1_000_000), "stored"],
    ["501 levels", nested(501), "PT422"],
    ["501 levels behind a text with quotes", `["\\\\\\"","\\\\",${nested(500)}]`, "PT422"],
    ["38,000 lists of 12 levels, 489 levels deep", nested(489, sideBySide(38_000, 12)), "PT422"],
    ["55,000 lists of 8 levels, 493 levels deep", nested(493, sideBySide(55_000, 8)), "PT422"],
    ["501 levels behind many lists", `[${"[],[[]],".repeat(60_000)}${nested(500)}]`, "PT422"],
    ["501 levels of objects", `${'{"a":'.repeat(501)}1${"}".repeat(501)}`, "PT422"],
    ["6,000 levels", nested(6_000), "PT422"],
    ["100,000 levels", nested(100_000), "PT422"],
    ["1,000,001 bytes", long(1_000_001), "PT422"],
    ["500,000 two-byte letters", JSON.stringify("ü".repeat(500_000)), "PT422"],
    ["what is no JSON", "{x", "PT422"],
  ])("P5 E6 answers with what every way in takes: %s", async (_what, value, becomes) => {
    const question = await asked("s");
    const id = crypto.randomUUID();
    const answered = database.by("anna", "SELECT pawl_rpc_answer('s', $1, $2, $3)", [id, question, value]);
    if (becomes !== "stored") {
      await expect(answered).rejects.toMatchObject({ code: becomes });
      expect((await postgresStore(database.pool()).sessions.get("s"))?.lastSeq).toBe(question);
      return;
    }
    await answered;
    const events = postgresStore(database.pool()).read("s", { afterSeq: question });
    const [event] = await Array.fromAsync(events);
    expect(event?.data).toEqual({
      tool_name: 'a"s\\k',
      call_id: "q\u0000",
      value: toJson(JSON.parse(value)),
    });
  });

  it("P5 E6 answers a question that holds a NUL; a question that is kept as a blob is refused with an explanation", async () => {
    const question = await asked("s", { payload: "\0 \ud800" });
    await database.by("anna", "SELECT * FROM pawl_answer('s', 'nul', $1, '1')", [question]);
    await postgresBlobs(database.pool()).put("s", "b", '"large"');
    const kept = await asked("s", { tool_name: undefined, call_id: undefined, $blob: "b", bytes: 7 });
    const answered = database.by("anna", "SELECT * FROM pawl_answer('s', 'blob', $1, '1')", [kept]);
    await expect(answered).rejects.toMatchObject({ code: "PT422" });
  });

  it("P4 E6 answers no question of a run that is over, and cannot replace an answer with a blob", async () => {
    const store = postgresStore(database.pool());
    const question = await asked("s");
    const reference = JSON.stringify({ $blob: "0".repeat(64), bytes: 7 });
    const sql = "SELECT * FROM pawl_answer('s', $1, $2, $3::text::json)";
    await database.by("anna", sql, ["reference", question, reference]);
    const [event] = await Array.fromAsync(store.read("s", { afterSeq: question }));
    expect(event?.data).toMatchObject({ value: JSON.parse(reference) });
    const late = await asked("s");
    const note = { type: "note", data: { text: "over" } } as const;
    await store.append("s", [note], { appendId: crypto.randomUUID(), session: { openRun: null } });
    const answered = database.by("anna", sql, ["late", late, "1"]);
    await expect(answered).rejects.toMatchObject({ code: "PT422" });
  });

  it("E6 a message of endless depth is refused like any other that is not a text", async () => {
    const sent = database.by("anna", "SELECT pawl_rpc_send_message('s', 'd', $1, NULL)", [nested(100_000)]);
    await expect(sent).rejects.toMatchObject({ code: "PT422" });
  });
});

describe("E6 rights that were given before the migration", () => {
  it("E6 users lose the columns and nothing else; roles without the right to read or answer do not get it; services keep all", async () => {
    const database = await usersDatabase();
    onTestFinished(() => database.drop());
    const client = await database.pool().connect();
    const role = (name: string) => `${database.users}_${name}`;
    const others = ["mute", "blind", "service", "stranger"].map(role);
    const [mute, blind, service, stranger] = others as [string, string, string, string];
    try {
      for (const [name, file] of Object.entries(migrationFiles())) if (name < "009") await client.query(file);
      for (const name of others) await client.query(`CREATE ROLE ${name}`);
      for (const name of [database.users, mute, blind])
        await client.query("SELECT pawl_grant_users($1), pawl_grant_rpc_users($1)", [name]);
      await client.query(`SELECT pawl_grant_service('${service}'), pawl_grant_rpc_service('${service}');
        REVOKE EXECUTE ON FUNCTION pawl_answer, pawl_rpc_answer, pawl_send_message FROM ${mute};
        REVOKE SELECT ON agent_sessions, agent_session_events FROM ${blind};
        GRANT SELECT, UPDATE ON agent_session_events, agent_session_live TO ${stranger}`);
      await migrate(client);
      const reads = async (name: string) => {
        const { rows } = await client.query(readable, [name]);
        return rows.map((row) => String(row.name)).sort();
      };
      const calls = async (name: string, what: string) => {
        const sql =
          "SELECT bool_or(has_function_privilege($1, oid, 'EXECUTE')) AS may FROM pg_proc WHERE proname = $2";
        return (await client.query(sql, [name, what])).rows[0]?.may;
      };
      const all = await reads("postgres");
      const users = all.filter((one) => !/append_|lease_/.test(one));
      expect(users).toHaveLength(all.length - 6);
      expect(await reads(database.users)).toEqual(users);
      expect(await reads(mute)).toEqual(users);
      expect(await reads(blind)).toEqual([]);
      expect(await reads(service)).toEqual(all);
      expect([await calls(mute, "pawl_answer"), await calls(database.users, "pawl_answer")]).toEqual([
        false,
        true,
      ]);
      for (const name of ["pawl_rpc_explain", "pawl_rpc_recoverable"])
        expect([await calls(database.users, name), await calls(service, name)]).toEqual([false, true]);
      await client.query("SELECT pawl_grant_users($1)", [stranger]);
      expect(await reads(stranger)).toEqual(users);
      const live = "SELECT has_table_privilege($1, 'agent_session_live', 'SELECT, UPDATE') AS may";
      expect((await client.query(live, [stranger])).rows).toEqual([{ may: false }]);
    } finally {
      for (const name of others) await client.query(`DROP OWNED BY ${name}; DROP ROLE ${name}`);
      client.release();
    }
  });
});
