import { DatabaseSync } from "node:sqlite";
import type { EventStore } from "@pawl/core";
import { describe, expect, it, onTestFinished } from "vitest";
import { sqliteStore } from "../../src/index.ts";
import { note, watchedStore } from "../support/watched-database.ts";

/** Returns the texts of a session's events. */
async function texts(store: EventStore, id: string): Promise<string[]> {
  const events = await Array.fromAsync(store.read(id));
  return events.map(({ data }) => (data as { text: string }).text);
}

/** Returns the results of calls that were made in one tick: a value, or the code of an error. */
async function outcomes(calls: readonly Promise<unknown>[]): Promise<unknown[]> {
  const settled = await Promise.allSettled(calls);
  return settled.map((one) => (one.status === "fulfilled" ? one.value : one.reason.code));
}

const unavailable = "store_unavailable";
const stored = (text: string, seq: number) => [expect.objectContaining({ seq, data: { text } })];

describe("the writes of one tick to a file of SQLite's", () => {
  it("R4 E2 are one commit, whatever they write, and each resolves with its own result", async () => {
    const { store, seen } = await watchedStore();
    const results = await outcomes([
      store.append("s", [note("a")], { appendId: "1" }),
      store.append("t", [note("b")], { appendId: "1" }),
      store.acquire("s", "leg", 60_000),
      store.sessions.create({ id: "new", userId: "u", agent: "a" }),
      store.append("new", [note("c")], { appendId: "1" }),
    ]);
    expect(seen.commits).toBe(1);
    expect(results).toEqual([
      stored("a", 1),
      stored("b", 1),
      expect.objectContaining({ holder: "leg", epoch: 1 }),
      expect.objectContaining({ id: "new" }),
      stored("c", 1),
    ]);
  });

  it("E2 are a commit each over a database that does not ask for groups", async () => {
    const { db, seen } = await watchedStore();
    const store = sqliteStore({ ...db, groupCommit: false });
    await Promise.all(["1", "2", "3"].map((appendId) => store.append("s", [note("a")], { appendId })));
    expect(seen.commits).toBe(3);
  });

  it("E2 take effect in the order of their calls, within a session and for its lease", async () => {
    const { store } = await watchedStore();
    const lease = await store.acquire("s", "leg", 60_000);
    if (lease === undefined) throw new Error("The lease is not free.");
    const append = (appendId: string, afterSeq: number) =>
      store.append("s", [note(appendId)], { appendId, lease, afterSeq });
    const calls = [append("1", 0), append("2", 1), store.release(lease), append("3", 2)];
    expect(await outcomes(calls)).toEqual([stored("1", 1), stored("2", 2), undefined, "fenced"]);
  });

  it("E2 leave each append its own verdict: one that is refused or fails stores nothing, the others are stored", async () => {
    const { store, raw, seen } = await watchedStore();
    await store.append("s", [note("before")], { appendId: "before" });
    raw.exec(`CREATE TRIGGER broken BEFORE INSERT ON agent_session_events WHEN NEW.data LIKE '%fails%'
      BEGIN SELECT RAISE(ABORT, 'a constraint failed'); END`);
    seen.commits = 0;
    const results = await outcomes([
      store.append("t", [note("first")], { appendId: "1" }),
      store.append("s", [note("late")], { appendId: "2", afterSeq: 7 }),
      store.append("s", [note("undone"), note("fails")], { appendId: "3", session: { addPending: 1 } }),
      store.acquire("nobody's", "leg", 60_000),
      store.append("s", [note("before")], { appendId: "before" }),
      store.append("s", [note("last")], { appendId: "4" }),
    ]);
    expect(results).toEqual([
      stored("first", 1),
      "conflict",
      unavailable,
      "not_found",
      stored("before", 1),
      stored("last", 2),
    ]);
    expect(seen.commits).toBe(1);
    expect(await texts(store, "s")).toEqual(["before", "last"]);
    expect(await store.sessions.get("s")).toMatchObject({ lastSeq: 2, pending: 0 });
  });

  it.each([
    ["makes SQLite roll back everything", (raw: DatabaseSync) => raw.exec(rollBackAll)],
    [
      "does not fit onto the disk",
      (raw: DatabaseSync) => raw.exec(`PRAGMA max_page_count = ${pages(raw) + 20}`),
    ],
  ])("E2 are stored if one of them %s, and that one stores nothing", async (_what, breakIt) => {
    const { store, raw } = await watchedStore();
    breakIt(raw);
    const long = `fails ${"x".repeat(1_000_000)}`;
    const results = await outcomes([
      store.append("s", [note("first")], { appendId: "1" }),
      store.append("s", [note("undone"), note(long)], { appendId: "2" }),
      store.append("t", [note("last")], { appendId: "3" }),
    ]);
    expect(results).toEqual([stored("first", 1), unavailable, stored("last", 1)]);
    expect([await texts(store, "s"), await texts(store, "t")]).toEqual([["first"], ["last"]]);
  });

  it("E2 all reject if their commit fails, none is stored, and the store works on", async () => {
    const { store, raw } = await watchedStore();
    raw.exec(`CREATE TABLE own (id INTEGER PRIMARY KEY);
      CREATE TABLE late (own INTEGER REFERENCES own (id) DEFERRABLE INITIALLY DEFERRED);
      CREATE TRIGGER late_failure AFTER INSERT ON agent_session_events WHEN NEW.data LIKE '%fails%'
      BEGIN INSERT INTO late VALUES (1); END`);
    const append = (id: string, text: string) => store.append(id, [note(text)], { appendId: text });
    const failed = await Promise.allSettled([append("s", "a"), append("t", "fails"), append("t", "b")]);
    const error = { code: unavailable, message: "The database failed: FOREIGN KEY constraint failed" };
    expect(failed).toMatchObject(Array(3).fill({ status: "rejected", reason: error }));
    expect([await texts(store, "s"), await texts(store, "t")]).toEqual([[], []]);
    expect(await outcomes([append("s", "a"), append("t", "b")])).toEqual([stored("a", 1), stored("b", 1)]);
  });

  it("E2 all reject if another connection keeps the file locked, after one wait, and the store works on", async () => {
    const { store, path, seen } = await watchedStore();
    let begins = 0;
    seen.before = (sql) => {
      if (sql.startsWith("BEGIN")) begins += 1;
    };
    const other = new DatabaseSync(path);
    onTestFinished(() => other.close());
    other.exec("BEGIN IMMEDIATE");
    const append = (id: string) => store.append(id, [note(id)], { appendId: "1" });
    expect(await outcomes([append("s"), append("t")])).toEqual([unavailable, unavailable]);
    expect(begins).toBe(1);
    other.exec("ROLLBACK");
    expect(await outcomes([append("s"), append("t")])).toEqual([stored("s", 1), stored("t", 1)]);
  });

  it("E2 are rejected if the database is closed before they are committed", async () => {
    const { store, db } = await watchedStore();
    const calls = ["s", "t"].map((id) => store.append(id, [note("a")], { appendId: "1" }));
    db.close();
    expect(await outcomes(calls)).toEqual([unavailable, unavailable]);
  });

  it("E2 are not part of a transaction of the application's on the same connection", async () => {
    const { store, raw } = await watchedStore();
    raw.exec("CREATE TABLE own (text TEXT)");
    const append = (appendId: string) => store.append("s", [note(appendId)], { appendId });
    raw.exec("BEGIN; INSERT INTO own VALUES ('undone')");
    const inside = append("1");
    raw.exec("ROLLBACK");
    expect(await inside).toEqual(stored("1", 1));

    raw.exec("BEGIN; INSERT INTO own VALUES ('kept')");
    expect(await outcomes([append("2"), append("3")])).toEqual([unavailable, unavailable]);
    raw.exec("COMMIT");
    expect(raw.prepare("SELECT text FROM own").all()).toEqual([{ text: "kept" }]);
    expect(await texts(store, "s")).toEqual(["1"]);
  });

  it("E2 are stored under a loop that reads all the time, and never lets the event loop turn", async () => {
    const { store } = await watchedStore();
    const appended = store.append("s", [note("a")], { appendId: "1" });
    let reads = 0;
    while ((await store.sessions.get("s"))?.lastSeq === 0 && reads < 10_000) reads += 1;
    expect(reads).toBeLessThan(10_000);
    expect(await appended).toEqual(stored("a", 1));
  });
});

const rollBackAll = `CREATE TRIGGER broken BEFORE INSERT ON agent_session_events
  WHEN NEW.data LIKE '%fails%' BEGIN SELECT RAISE(ROLLBACK, 'everything is undone'); END`;

function pages(raw: DatabaseSync): number {
  return Number(raw.prepare("PRAGMA page_count").get()?.page_count);
}
