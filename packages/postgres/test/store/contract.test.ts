import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PGlite } from "@electric-sql/pglite";
import { agent, PawlError, runtime, withBlobs } from "@pawl/core";
import { type EmbeddedStore, embeddedStore } from "@pawl/postgres/embedded";
import { eventStoreContract, scriptedModel } from "@pawl/testing";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { newPglite, startPglite } from "../../../../test/support/new-pglite.ts";
import { newDatabase, writeDatabase } from "../../src/embedded/new-database.ts";
import { migrate, migrations, postgresStore } from "../../src/index.ts";

describe("embeddedStore in memory", () => {
  let store: EmbeddedStore;
  beforeAll(async () => {
    store = await embeddedStore();
  }, 60_000);
  afterAll(() => store.close());

  for (const { name, run } of eventStoreContract(async () => ({ store }))) it(name, run);

  it("O1 has room for whatever a server counts, turn after turn", async () => {
    const absurd = { input_tokens: 9e18, output_tokens: 9e18, cache_read_input_tokens: 1e300 };
    const pricing = { input: 1e6, output: 1e6, cacheRead: 1e6, cacheWrite5m: 1e6, cacheWrite1h: 1e6 };
    const model = scriptedModel(() => ({ text: "Hi.", usage: absurd }), { pricing });
    const pawl = runtime({ agents: [agent({ name: "a", model, instructions: "Go." })], store });
    const { sessionId } = await pawl.run("a", { userId: "u", input: "Hi" }).result;
    const { stop } = await pawl.run("a", { userId: "u", sessionId, input: "Hi" }).result;
    expect(stop.type).toBe("end_turn");
    const session = await store.sessions.get(sessionId);
    expect(session?.usage.outputTokens).toBe(2_000_000_000);
    expect(session?.costUsd).toBe(2 * 3e9);
  });
});

describe("E9 withBlobs over embeddedStore and its blobs", () => {
  let store: EmbeddedStore;
  beforeAll(async () => {
    store = await embeddedStore();
  }, 60_000);
  afterAll(() => store.close());

  const make = async () => ({ store: withBlobs(store, store.blobs, { aboveBytes: 24 }) });
  for (const { name, run } of eventStoreContract(make)) it(name, run);
});

describe("postgresStore over a PGlite of the caller's", () => {
  let db: PGlite;
  beforeAll(async () => {
    db = await newPglite();
    await migrate(db);
  }, 60_000);
  afterAll(() => db.close());

  it("E6 the schema has the columns of the trainer's specification", async () => {
    const { rows } = await db.query<{ name: string }>(
      `SELECT table_name || '.' || column_name AS name FROM information_schema.columns
       WHERE table_name LIKE 'agent_session%'`,
    );
    const columns = rows.map((row) => row.name);
    for (const column of [
      "id",
      "user_id",
      "created_at",
      "updated_at",
      "context_start_sequence",
      "total_tokens",
    ])
      expect(columns).toContain(`agent_sessions.${column}`);
    for (const column of ["cached_tokens", "total_cost_cents", "status", "metadata"])
      expect(columns).toContain(`agent_sessions.${column}`);
    for (const column of [
      "id",
      "session_id",
      "sequence_number",
      "event_type",
      "timestamp",
      "duration_ms",
      "data",
    ])
      expect(columns).toContain(`agent_session_events.${column}`);
  });

  it("E6 migrations run once, however often they are called", async () => {
    await postgresStore(db).sessions.create({ id: "kept", userId: "u", agent: "a" });
    await Promise.all([migrate(db), migrate(db), migrate(db)]);
    const { rows } = await db.query("SELECT version, name FROM pawl_migrations ORDER BY version");
    expect(rows).toEqual(migrations.map(({ version, name }) => ({ version, name })));
    expect(await postgresStore(db).sessions.get("kept")).toBeDefined();
  });

  it("E4 total_tokens is the sum of its parts, and the log's order is kept by a constraint", async () => {
    const store = postgresStore(db);
    await store.sessions.create({ id: "sum", userId: "u", agent: "a" });
    await store.append("sum", [{ type: "note", data: { text: "a" } }], {
      appendId: "1",
      session: {
        addUsage: { inputTokens: 1.4, outputTokens: 2, cacheReadTokens: 3, cacheWriteTokens: 4 },
        addCostUsd: 0.005,
      },
    });
    const { rows } = await db.query(
      "SELECT total_tokens::int AS total, cached_tokens::int AS cached, total_cost_cents AS cost FROM agent_sessions WHERE id = 'sum'",
    );
    expect(rows).toEqual([{ total: 10, cached: 3, cost: 0.5 }]);
    const again = db.query(
      `INSERT INTO agent_session_events (session_id, sequence_number, event_type, version, timestamp, data)
       VALUES ('sum', 1, 'note', 1, now(), '{}')`,
    );
    await expect(again).rejects.toMatchObject({ code: "23505" });
  });

  it("E2 an append is one statement, also when it carries a batch, a lease and a patch", async () => {
    const asked: string[] = [];
    const store = postgresStore({
      query: async (text, values) => {
        asked.push(text);
        return await db.query(text, values);
      },
    });
    await store.sessions.create({ id: "one", userId: "u", agent: "a" });
    const lease = await store.acquire("one", "leg", 60_000);
    asked.length = 0;
    await store.append(
      "one",
      [
        { type: "a.b", data: 1, key: "k" },
        { type: "a.b", data: 2 },
      ],
      {
        appendId: "1",
        ...(lease === undefined ? {} : { lease }),
        afterSeq: 0,
        release: true,
        session: { status: "completed", metadata: { a: 1 } },
      },
    );
    expect(asked).toHaveLength(1);
  });

  it("E2 a foreign row with the next number is reported, not overwritten", async () => {
    const store = postgresStore(db);
    await store.sessions.create({ id: "blocked", userId: "u", agent: "a" });
    await db.query(
      `INSERT INTO agent_session_events (session_id, sequence_number, event_type, version, timestamp, data)
       VALUES ('blocked', 1, 'note', 1, now(), '{}')`,
    );
    const refused = store.append("blocked", [{ type: "a.b", data: 1 }], { appendId: "1" });
    await expect(refused).rejects.toMatchObject({ code: "store_unavailable", cause: expect.anything() });
    expect((await store.sessions.get("blocked"))?.lastSeq).toBe(0);
  });

  it("E2 any error of the database is store_unavailable with its cause", async () => {
    const cause = new Error("connection lost");
    const store = postgresStore({ query: () => Promise.reject(cause) });
    const event = { type: "a.b", data: 1 } as const;
    const reading = async (): Promise<void> => {
      for await (const read of store.read("s")) expect(read).toBeUndefined();
    };
    const lease = { sessionId: "s", holder: "h", epoch: 1 };
    for (const work of [
      store.append("s", [event], { appendId: "1" }),
      store.acquire("s", "h", 1),
      store.renew(lease, 1),
      store.release(lease),
      store.listRecoverable({ limit: 1 }),
      store.sessions.create({ id: "s", userId: "u", agent: "a" }),
      store.sessions.get("s"),
      store.sessions.list({ userId: "u" }),
      reading(),
    ]) {
      const error: unknown = await work.then(
        () => undefined,
        (thrown: unknown) => thrown,
      );
      expect(PawlError.is(error, "store_unavailable")).toBe(true);
      expect(error).toMatchObject({ cause });
    }
  });
});

describe("the database that a first start unpacks", () => {
  /** What tells databases apart that are both new. */
  const asked = [
    "SELECT version(), pg_control_version, catalog_version_no FROM pg_control_system()",
    `SELECT datname, encoding, datcollate, datctype, datlocprovider, datistemplate, datallowconn, datacl
     FROM pg_database ORDER BY 1`,
    "SELECT rolname, rolsuper, rolcanlogin, rolpassword FROM pg_authid ORDER BY 1",
    "SELECT name, setting, source FROM pg_settings ORDER BY 1",
    "SELECT name, setting, applied FROM pg_file_settings ORDER BY seqno",
    "SELECT type, database, user_name, address, auth_method FROM pg_hba_file_rules ORDER BY line_number",
    "SELECT nspname, nspacl FROM pg_namespace WHERE oid < 16384 ORDER BY 1",
    `SELECT (SELECT count(*) FROM pg_proc WHERE oid < 16384) AS functions,
       (SELECT count(*) FROM pg_class WHERE oid < 16384) AS relations, (SELECT count(*) FROM pg_collation) AS collations`,
  ];

  async function newDirectory(): Promise<string> {
    const directory = await mkdtemp(join(tmpdir(), "pawl-"));
    onTestFinished(() => rm(directory, { recursive: true, force: true }));
    return directory;
  }

  it("E9 is the one that PGlite makes", async () => {
    const made = await startPglite("memory://");
    const loadDataDir = (await newDatabase()) as Blob;
    const unpacked = await startPglite("memory://", { loadDataDir });
    const dataDir = await newDirectory();
    await writeDatabase(dataDir);
    const written = await startPglite(dataDir);
    const rows = async (db: PGlite) =>
      await Promise.all(asked.map(async (text) => (await db.query(text)).rows));
    const expected = await rows(made);
    expect(await rows(unpacked)).toEqual(expected);
    expect(await rows(written)).toEqual(expected);
    await Promise.all([made.close(), unpacked.close(), written.close()]);
  }, 60_000);

  it("E9 is written again after a process died while it wrote, and never over a database", async () => {
    const dataDir = await newDirectory();
    // A path that is written in another way than Node would.
    const spelled = `${dataDir}/./db/`;
    const inTheWay = join(dataDir, "db", "pg_xact", "0000");
    await mkdir(inTheWay, { recursive: true });
    await expect(writeDatabase(spelled)).rejects.toMatchObject({ code: "EISDIR" });
    expect(existsSync(join(dataDir, "db", "PG_VERSION"))).toBe(false);
    expect(existsSync(join(dataDir, "db", "base"))).toBe(true);
    await rm(inTheWay, { recursive: true });
    await writeDatabase(spelled);
    const db = await startPglite(spelled);
    await db.query("CREATE TABLE kept (number integer)");
    await db.close();
    await writeDatabase(spelled);
    // As an app opens it, with the buffers that PGlite has by itself.
    const again = await PGlite.create({ dataDir: spelled });
    expect((await again.query("SELECT * FROM kept")).rows).toEqual([]);
    await again.close();
  });

  it("E9 is written once by two calls at a time, and never over files of a database without its version", async () => {
    const dataDir = await newDirectory();
    const first = writeDatabase(dataDir);
    const second = writeDatabase(dataDir);
    await Promise.race([first, second]);
    await writeFile(join(dataDir, "global", "pg_control"), "in use");
    await Promise.all([first, second]);
    expect(await readFile(join(dataDir, "global", "pg_control"), "utf8")).toBe("in use");
    await rm(join(dataDir, "PG_VERSION"));
    await writeDatabase(dataDir);
    expect(await readFile(join(dataDir, "global", "pg_control"), "utf8")).toBe("in use");
    expect(existsSync(join(dataDir, "PG_VERSION"))).toBe(false);
  });

  it.each(["memory://", "file:///tmp/x", "", undefined])("E9 is not written to %j", async (directory) => {
    await expect(writeDatabase(directory as string)).rejects.toMatchObject({ code: "config" });
  });

  it("E9 was built; if it cannot be read, PGlite makes its own", async () => {
    expect(await newDatabase()).toBeInstanceOf(Blob);
    expect(await newDatabase("../../dist/nothing.tar.br")).toBeUndefined();
    expect(await newDatabase("../../package.json")).toBeUndefined();
  });
});
