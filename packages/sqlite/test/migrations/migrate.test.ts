import { DatabaseSync } from "node:sqlite";
import { expect, it, onTestFinished } from "vitest";
import { nodeSqlite, sqliteStore } from "../../src/index.ts";

function database() {
  const raw = new DatabaseSync(":memory:");
  onTestFinished(() => raw.close());
  return raw;
}

it("E9 tables are made once, beside those of the application, whose version stays", async () => {
  const raw = database();
  raw.exec("CREATE TABLE notes (text TEXT); PRAGMA user_version = 7");
  await sqliteStore(nodeSqlite(raw)).sessions.create({ id: "kept", userId: "u", agent: "a" });
  const changes = raw.prepare("SELECT total_changes() AS n");
  const before = changes.get()?.n;
  const store = sqliteStore(nodeSqlite(raw));
  expect(changes.get()?.n).toBe(before);
  expect(await store.sessions.get("kept")).toBeDefined();
  expect(raw.prepare("PRAGMA user_version").get()?.user_version).toBe(7);
});

it("E9 tables of a newer version are refused, with what to do, and are not changed", () => {
  const raw = database();
  sqliteStore(nodeSqlite(raw));
  raw.exec("UPDATE pawl_schema SET version = 99");
  expect(() => sqliteStore(nodeSqlite(raw))).toThrow(
    expect.objectContaining({
      code: "config",
      message: expect.stringMatching(/has version 99 .* up to 2\. Update @pawl\/sqlite\./),
    }),
  );
  expect(raw.prepare("SELECT version FROM pawl_schema").all()).toMatchObject([{ version: 99 }]);
});

it("E9 a migration that fails leaves nothing behind", () => {
  const raw = database();
  raw.exec("CREATE TABLE agent_session_snapshots (mine TEXT)");
  expect(() => sqliteStore(nodeSqlite(raw))).toThrow(expect.objectContaining({ code: "store_unavailable" }));
  expect(raw.prepare("SELECT name FROM sqlite_master WHERE type = 'table'").all()).toMatchObject([
    { name: "agent_session_snapshots" },
  ]);
});
