import type { NewEvent } from "@pawl/core/store";
import { describe, expect, it, onTestFinished } from "vitest";
import { testDatabase } from "../../../../test/support/postgres.ts";
import { migrate, migrationFiles, postgresStore } from "../../src/index.ts";

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
      message: expect.stringMatching(/run migrate\(\) first\. .*pawl_(open_session|save_snapshot)/),
    };
    await expect(store.open?.(wanted)).rejects.toMatchObject(refusal);
    const snapshot = { version: "1", seq: 0, state: "{}" };
    await expect(store.saveSnapshot?.("s1", snapshot)).rejects.toMatchObject(refusal);
    await migrate(db);
    await expect(store.open?.(wanted)).resolves.toMatchObject({ session: { id: "s1" } });
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
