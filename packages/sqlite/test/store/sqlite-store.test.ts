import { DatabaseSync } from "node:sqlite";
import { agent, PawlError, runtime } from "@pawl/core";
import { scriptedModel } from "@pawl/testing";
import { expect, it, onTestFinished } from "vitest";
import { nodeSqlite, type SqliteDatabase, sqliteStore } from "../../src/index.ts";
import { newPath } from "../support/databases.ts";

/** A database in memory, and the DatabaseSync below it. */
function inMemory() {
  const raw = new DatabaseSync(":memory:");
  onTestFinished(() => raw.close());
  return { raw, db: nodeSqlite(raw) };
}

const session = { id: "s", userId: "u", agent: "a" };
const note = (text: string) => ({ type: "note", data: { text } }) as const;

it("E2 an append is one transaction, also when it has a batch, a lease and a patch", async () => {
  const { db } = inMemory();
  let transactions = 0;
  const store = sqliteStore({
    ...db,
    transaction: (work) => {
      transactions += 1;
      return db.transaction(work);
    },
  });
  await store.sessions.create(session);
  const lease = await store.acquire("s", "leg", 60_000);
  transactions = 0;
  await store.append("s", [{ ...note("a"), key: "k" }, note("b")], {
    appendId: "1",
    ...(lease && { lease }),
    afterSeq: 0,
    release: true,
    session: { status: "completed", metadata: { a: 1 } },
  });
  expect(transactions).toBe(1);
});

it("E2 an append that fails in the middle stores nothing", async () => {
  const { db, raw } = inMemory();
  const store = sqliteStore(db);
  await store.sessions.create(session);
  raw.exec(`INSERT INTO agent_session_events (session_id, sequence_number, event_type, version, timestamp,
    parts, data) VALUES ('s', 2, 'note', 1, 0, 1, '{}')`);
  const refused = store.append("s", [note("a"), note("b")], { appendId: "1", session: { addPending: 1 } });
  await expect(refused).rejects.toMatchObject({ code: "store_unavailable", cause: expect.anything() });
  expect(await store.sessions.get("s")).toMatchObject({ lastSeq: 0, pending: 0 });
  expect((await Array.fromAsync(store.read("s"))).map(({ seq }) => seq)).toEqual([2]);
});

it("E2 any error of the database is store_unavailable with its cause", async () => {
  const { db } = inMemory();
  let cause: Error | undefined;
  const failing: SqliteDatabase = {
    ...db,
    run: (sql, values) => {
      if (cause !== undefined) throw cause;
      return db.run(sql, values);
    },
  };
  const store = sqliteStore(failing);
  await store.sessions.create(session);
  cause = new Error("disk I/O error");
  const lease = { sessionId: "s", holder: "h", epoch: 1 };
  for (const work of [
    () => store.append("s", [note("a")], { appendId: "1" }),
    () => store.acquire("s", "h", 1),
    () => store.renew(lease, 1),
    () => store.release(lease),
    () => store.open?.({ ...session, holder: "h", ttlMs: 1 }),
    () => store.saveSnapshot?.("s", { version: "1", seq: 0, state: "{}" }),
    () => store.listRecoverable({ limit: 1 }),
    () => store.sessions.create({ ...session, id: "t" }),
    () => store.sessions.get("s"),
    () => store.sessions.list({ userId: "u" }),
    () => Array.fromAsync(store.read("s")),
  ]) {
    const error: unknown = await Promise.resolve(work()).catch((thrown: unknown) => thrown);
    expect(PawlError.is(error, "store_unavailable"), String(work)).toBe(true);
    expect(error).toMatchObject({ cause });
  }
  cause = undefined;
  await store.append("s", [note("after")], { appendId: "2" });
});

it("E1 a payload of many rows is read back, and none of its pairs of surrogates is split", async () => {
  const { db, raw } = inMemory();
  const store = sqliteStore(db);
  await store.sessions.create(session);
  // In one of them, the first part would end between the halves of a pair.
  for (const start of ["", "x"]) {
    const data = { text: `${start}${"😀".repeat(700_000)}` };
    const batch = [note("before"), { type: "probe.long", data }, note("after")] as const;
    const [, { seq } = { seq: 0 }] = await store.append("s", batch, { appendId: start || "first" });
    const [read] = await Array.fromAsync(store.read("s", { afterSeq: seq - 1, limit: 1 }));
    expect(JSON.stringify(read?.data) === JSON.stringify(data)).toBe(true);
  }
  const [longest] = raw
    .prepare(
      `SELECT max(length(CAST(data AS BLOB))) AS bytes FROM (SELECT data FROM agent_session_events
       UNION ALL SELECT data FROM agent_session_event_parts)`,
    )
    .all();
  expect(longest?.bytes).toBeLessThan(2_000_000);
});

it("R5 a snapshot of many rows is replaced and deleted as a whole", async () => {
  const { db, raw } = inMemory();
  const store = sqliteStore(db);
  await store.sessions.create(session);
  const rows = () => raw.prepare("SELECT count(*) AS n FROM agent_session_snapshots").get()?.n;
  const open = () => store.open?.({ ...session, holder: "h", ttlMs: 1_000, snapshot: "v" });
  await store.append("s", [note("a")], { appendId: "1" });
  const long = JSON.stringify("ä".repeat(1_500_000));
  await store.saveSnapshot?.("s", { version: "v", seq: 1, state: long });
  expect([rows(), (await open())?.snapshot?.state === long]).toEqual([4, true]);
  await store.append("s", [note("b")], { appendId: "2" });
  await store.saveSnapshot?.("s", { version: "v", seq: 2, state: "{}" });
  expect([rows(), (await open())?.snapshot]).toEqual([1, { seq: 2, state: "{}" }]);
  await store.append("s", [{ type: "redaction", data: { seq: 1, of: "note" } }], { appendId: "3" });
  expect(rows()).toBe(0);
});

it("E2 deleting a session's row deletes its events, and the rest of long ones", async () => {
  const { db, raw } = inMemory();
  const store = sqliteStore(db);
  await store.sessions.create(session);
  await store.append("s", [note("x".repeat(1_000_000))], { appendId: "1" });
  await store.saveSnapshot?.("s", { version: "v", seq: 1, state: "{}" });
  raw.exec("DELETE FROM agent_sessions WHERE id = 's'");
  for (const table of ["events", "event_parts", "snapshots"])
    expect(raw.prepare(`SELECT count(*) AS n FROM agent_session_${table}`).get()?.n).toBe(0);
});

it("E9 a database that nothing else writes to reports every append to readers, a file does not", async () => {
  const inRam = nodeSqlite(":memory:");
  const onDisk = nodeSqlite(newPath());
  onTestFinished(() => {
    inRam.close();
    onDisk.close();
  });
  expect(sqliteStore(onDisk).watch).toBeUndefined();
  const store = sqliteStore(inRam);
  await store.sessions.create(session);
  const seen: number[] = [];
  const leave = store.watch?.("s", (seq) => seen.push(seq));
  await store.append("s", [note("a"), note("b")], { appendId: "1" });
  leave?.();
  await store.append("s", [note("c")], { appendId: "2" });
  expect(seen).toEqual([2]);
});

it("R1 a run opens its session and stores its message in two transactions before the model is asked", async () => {
  const { db } = inMemory();
  let transactions = 0;
  let before: number | undefined;
  const model = scriptedModel(() => {
    before ??= transactions;
    return { text: "Hi." };
  });
  const greeter = agent({ name: "a", model, instructions: "Greet." });
  const counted: SqliteDatabase = {
    ...db,
    transaction: (work) => {
      transactions += 1;
      return db.transaction(work);
    },
  };
  const pawl = runtime({ agents: [greeter], store: sqliteStore(counted) });
  const { sessionId } = await pawl.run(greeter, { userId: "u", input: "Hi" }).result;
  expect(before).toBe(2 + 1); // and one that creates the tables
  transactions = 0;
  before = undefined;
  await pawl.run(greeter, { userId: "u", sessionId, input: "Hi" }).result;
  expect(before).toBe(2);
});
