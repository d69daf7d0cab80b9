import type { NewEvent } from "@pawl/core/store";
import { describe, expect, it, onTestFinished } from "vitest";
import { testDatabase } from "../../../../test/support/postgres.ts";
import { FIRST_BREAKING, SCHEMA_VERSION } from "../../src/database/schema-version.ts";
import {
  migrate,
  migrationFiles,
  migrations,
  postgresBlobs,
  postgresReservations,
  postgresStore,
} from "../../src/index.ts";

const wanted = { id: "s1", userId: "ada", agent: "coach", create: {}, holder: "one", ttlMs: 1_000 };

describe("a schema that is older than the package", () => {
  it("E6 is named when a session is opened, with what to do", async () => {
    const database = await testDatabase();
    onTestFinished(() => database.drop());
    const db = database.pool();
    for (const [name, file] of Object.entries(migrationFiles())) if (name < "013") await db.query(file);
    const store = postgresStore(db);
    const refusal = {
      code: "store_unavailable",
      message: expect.stringMatching(
        /has version 12 of the schema; .* needs 18: run migrate\(\) first\. .*pawl_(open_session|save_snapshot)/,
      ),
    };
    await expect(store.open?.(wanted)).rejects.toMatchObject(refusal);
    const snapshot = { version: "1", seq: 0, state: "{}" };
    await expect(store.saveSnapshot?.("s1", snapshot)).rejects.toMatchObject(refusal);
    await migrate(db);
    await expect(store.open?.(wanted)).resolves.toMatchObject({ session: { id: "s1" } });
  });

  it("E6 is named by the first call, also without a schema", async () => {
    const database = await testDatabase();
    onTestFinished(() => database.drop());
    for (const db of [database.pool(), database.sql()]) {
      const store = postgresStore(db);
      const calls = [
        () => store.sessions.get("s1"),
        () => store.listRecoverable({ limit: 1 }),
        () => store.append("s1", [{ type: "note", data: { text: "a" } }], { appendId: "1" }),
        () => postgresBlobs(db).get("s1", "blob"),
        () => postgresReservations(db).balance("account"),
      ];
      for (const call of calls)
        await expect(call()).rejects.toMatchObject({
          code: "store_unavailable",
          message: expect.stringMatching(/^The database has no schema of Pawl; .* run migrate\(\) first\. /),
        });
    }
  });

  it("E6 R5 serves processes of the version before while it is newer", async () => {
    const database = await testDatabase();
    onTestFinished(() => database.drop());
    const db = database.pool();
    await migrate(db);
    const store = postgresStore(db);
    const opened = await store.open?.(wanted);
    const redaction: NewEvent = { type: "redaction", data: { seq: 1, of: "note" } };
    await store.append("s1", [{ type: "note", data: { text: "a" } }], { appendId: "1" });
    await store.saveSnapshot?.("s1", { version: "1", seq: 1, state: "{}" });
    const asked = "SELECT pawl_open('s1', 'ada', 'coach', NULL, 'one', 1000, 0)::text AS opened";
    const { rows } = await db.query<{ opened: string }>(asked);
    expect(JSON.parse(rows[0]?.opened ?? "")).toMatchObject({
      epoch: (opened?.lease?.epoch ?? 0) + 1,
      events: [{ seq: 1 }],
    });
    // It redacts by the same functions.
    await store.append("s1", [redaction], { appendId: "2" });
    const left = await db.query("SELECT FROM agent_session_snapshots");
    expect(left.rows).toEqual([]);
  });
});

describe("a schema that is newer than the package", () => {
  async function databaseOf(version: number) {
    const database = await testDatabase();
    onTestFinished(() => database.drop());
    const db = database.pool();
    await migrate(db);
    await db.query(`INSERT INTO pawl_migrations (version, name) VALUES (${version}, 'newer')`);
    return db;
  }

  it("E6 is refused at the start if it has a step that is not only an addition", async () => {
    const db = await databaseOf(100);
    await expect(migrate(db)).rejects.toMatchObject({
      code: "config",
      message:
        "The database has version 100 of the schema; this version of @pawl/postgres knows versions up to 18. Update @pawl/postgres.",
    });
  });

  it("E6 is accepted at the start if it has additions only, for deploys and rollbacks", async () => {
    const db = await databaseOf(99);
    await migrate(db);
    await expect(postgresStore(db).open?.(wanted)).resolves.toMatchObject({ session: { id: "s1" } });
  });

  it("E6 is named by a call that needs what it no longer has", async () => {
    const db = await databaseOf(100);
    const store = postgresStore(db);
    await db.query("ALTER TABLE agent_sessions RENAME COLUMN pending TO waiting");
    await expect(store.sessions.get("s1")).rejects.toMatchObject({
      code: "store_unavailable",
      message: expect.stringMatching(/has version 100 .* Update @pawl\/postgres\. .*pending/),
    });
  });

  it("E6 is counted by the number of the last migration", () => {
    expect(migrations.at(-1)?.version).toBe(SCHEMA_VERSION);
    expect(SCHEMA_VERSION).toBeLessThan(FIRST_BREAKING);
  });
});
