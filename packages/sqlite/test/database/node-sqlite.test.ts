import { DatabaseSync } from "node:sqlite";
import { expect, it, onTestFinished } from "vitest";
import { durableObject, nodeSqlite, sqliteStore } from "../../src/index.ts";
import { newPath } from "../support/databases.ts";

it("E2 a file is set so that acknowledged appends survive a power failure, and writers wait for each other", () => {
  const db = nodeSqlite(newPath());
  onTestFinished(() => db.close());
  const [row] = db.run(
    `SELECT (SELECT journal_mode FROM pragma_journal_mode) AS journal,
       (SELECT synchronous FROM pragma_synchronous) AS synchronous, (SELECT timeout FROM pragma_busy_timeout) AS wait`,
    [],
  );
  expect(row).toMatchObject({ journal: "wal", synchronous: 2, wait: 5_000 });
});

it("E9 a DatabaseSync of the application's keeps its settings", () => {
  const path = newPath();
  const raw = new DatabaseSync(path);
  onTestFinished(() => raw.close());
  sqliteStore(nodeSqlite(raw));
  expect(raw.prepare("PRAGMA journal_mode").get()).toMatchObject({ journal_mode: "delete" });
});

it("E2 a file that another connection keeps locked is store_unavailable, and usable once it is free", async () => {
  const path = newPath();
  const other = new DatabaseSync(path);
  const raw = new DatabaseSync(path, { timeout: 20 });
  onTestFinished(() => {
    other.close();
    raw.close();
  });
  const store = sqliteStore(nodeSqlite(raw));
  other.exec("BEGIN IMMEDIATE");
  const session = { id: "s", userId: "u", agent: "a" };
  await expect(store.sessions.create(session)).rejects.toMatchObject({
    code: "store_unavailable",
    message: "The database failed: database is locked",
  });
  other.exec("ROLLBACK");
  await store.sessions.create(session);
});

it("a file in a folder that does not exist is store_unavailable, with its path", () => {
  expect(() => nodeSqlite("/nowhere/at/all/log.db")).toThrow(
    expect.objectContaining({
      code: "store_unavailable",
      message: expect.stringContaining('"/nowhere/at/all/log.db"'),
    }),
  );
});

it.each([
  ["nodeSqlite()", () => nodeSqlite(7 as never), /path of a file, .* or a DatabaseSync/],
  ["durableObject()", () => durableObject({} as never), /`ctx\.storage`/],
  ["sqliteStore()", () => sqliteStore("log.db" as never), /nodeSqlite\("pawl\.db"\)/],
  ["sqliteStore()", () => sqliteStore(undefined as never), /nodeSqlite\("pawl\.db"\)/],
])("%s refuses what is no database, and says what it takes", (_name, make, message) => {
  expect(make).toThrow(expect.objectContaining({ code: "config", message: expect.stringMatching(message) }));
});
