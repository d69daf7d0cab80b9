import { readFile } from "node:fs/promises";
import type { PGlite } from "@electric-sql/pglite";
import { agent, readShown, runtime, type StoredEvent, withBlobs } from "@pawl/core";
import { strictModel } from "@pawl/testing";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { newPglite } from "../../../../test/support/new-pglite.ts";
import { migrate, postgresBlobs, postgresStore } from "../../src/index.ts";

const user = { userId: "u" };
const readme = async () => await readFile(new URL("../../README.md", import.meta.url), "utf8");
/** The statement that the README gives for blobs that nothing names. */
const unnamed = (text: string) => /```sql\n(DELETE FROM agent_session_blobs[^`]*)```/.exec(text)?.[1] ?? "";
const long = (text: string) => text.padEnd(300_000, ".");

describe("postgresBlobs", () => {
  let db: PGlite;
  beforeAll(async () => {
    db = await newPglite();
    await migrate(db);
  }, 60_000);
  afterAll(() => db.close());

  const ids = async (sessionId: string): Promise<string[]> => {
    const { rows } = await db.query<{ id: string }>(
      "SELECT id FROM agent_session_blobs WHERE session_id = $1 ORDER BY id",
      [sessionId],
    );
    return rows.map(({ id }) => id);
  };
  const session = async (id: string) =>
    await postgresStore(db).sessions.create({ id, userId: "u", agent: "coach" });

  it("E2 keeps a text once per session, and shows it to no other session", async () => {
    const blobs = postgresBlobs(db);
    await session("one");
    await session("two");
    const text = JSON.stringify({ text: "ü \u0000 \ud800 \u2028", list: [1] });
    await Promise.all([1, 2, 3].map(() => blobs.put("one", "id", text)));
    expect(await blobs.get("one", "id")).toBe(text);
    expect(await blobs.get("two", "id")).toBeUndefined();
    await blobs.put("two", "id", text);
    await db.query("DELETE FROM agent_sessions WHERE id = 'one'");
    expect([await ids("one"), await ids("two")]).toEqual([[], ["id"]]);
    expect(await blobs.get("two", "id")).toBe(text);
  });

  it("E2 rejects with not_found for an unknown session", async () => {
    for (const id of ["nowhere", "", "nul \0"]) {
      await expect(postgresBlobs(db).put(id, "id", "1")).rejects.toMatchObject({ code: "not_found" });
      expect(await postgresBlobs(db).get(id, "id")).toBeUndefined();
    }
  });

  it("E2 a NUL or half a surrogate pair is invalid_input, and never sent to the database", async () => {
    await session("bad");
    const blobs = postgresBlobs(db);
    for (const [id, text] of [
      ["id", "a \0 b"],
      ["id", "a \ud800 b"],
      ["i\0d", "1"],
      ["", "1"],
    ] as const)
      await expect(blobs.put("bad", id, text)).rejects.toMatchObject({ code: "invalid_input" });
    expect(await ids("bad")).toEqual([]);
    expect(await blobs.get("bad", "i\0d")).toBeUndefined();
  });

  it("E2 any error of the database is store_unavailable with its cause", async () => {
    const cause = new Error("connection lost");
    const blobs = postgresBlobs({ query: () => Promise.reject(cause) });
    const failed = { code: "store_unavailable", cause };
    await expect(blobs.put("s", "id", "1")).rejects.toMatchObject(failed);
    await expect(blobs.get("s", "id")).rejects.toMatchObject(failed);
  });

  it("E6 are added to a log that is older than blobs", async () => {
    const old = await newPglite();
    await migrate(old);
    await old.exec("DROP TABLE agent_session_blobs; DELETE FROM pawl_migrations WHERE version = 2");
    const before = postgresStore(old);
    await before.sessions.create({ id: "s", userId: "u", agent: "a" });
    const first = await before.append("s", [{ type: "note", data: { text: long("old") } }], {
      appendId: "1",
    });
    await migrate(old);
    const store = withBlobs(postgresStore(old), postgresBlobs(old));
    const second = await store.append("s", [{ type: "note", data: { text: long("new") } }], {
      appendId: "2",
    });
    expect(await Array.fromAsync(store.read("s"))).toEqual([...first, ...second]);
    const { rows } = await old.query("SELECT length(data::text) > 1000 AS large FROM agent_session_events");
    expect(rows).toEqual([{ large: true }, { large: false }]);
    await old.close();
  }, 60_000);

  it("E2 an event can be redacted and then erased: its data first, its blob after; a fork keeps its own", async () => {
    const store = postgresStore(db);
    const model = strictModel({ script: [{ text: "Read." }, { text: "Again." }] });
    const made = agent({ name: "coach", instructions: "You are a test.", model });
    const pawl = runtime({ agents: [made], store, blobs: postgresBlobs(db) });
    const { sessionId } = await pawl.run("coach", { ...user, input: long("secret") }).result;
    const fork = await pawl.fork(sessionId, user);
    const plan = { type: "app.plan", data: { goal: long("secret plan") } } as const;
    await pawl.store.append(sessionId, [plan], { appendId: "plan" });
    const log = await Array.fromAsync(pawl.store.read(sessionId));
    const isSecret = ({ type }: StoredEvent) => type === "user_message" || (type as string) === "app.plan";
    expect(await ids(sessionId)).toHaveLength(2);
    for (const { seq } of log.filter(isSecret)) {
      await pawl.redact(sessionId, seq, user);
      const shown = (await Array.fromAsync(readShown(pawl.store, sessionId)))[seq - 1];
      await db.query(
        "UPDATE agent_session_events SET data = $3::text::json WHERE session_id = $1 AND sequence_number = $2",
        [sessionId, seq, JSON.stringify(shown?.data)],
      );
    }
    expect(await ids(sessionId)).toHaveLength(2);
    // Two more blobs: one that an event names, beside a payload that SQL cannot look into, and one that nothing names.
    const named = [
      { type: "a.b", data: "\0 \ud800" },
      { type: "a.b", data: long("named") },
    ] as const;
    await pawl.store.append(sessionId, named, { appendId: "named" });
    await postgresBlobs(db).put(sessionId, "orphan", "1");
    await db.query(unnamed(await readme()), [sessionId]);
    expect(await ids(sessionId)).toHaveLength(1);

    const { stop } = await pawl.run("coach", { ...user, sessionId, input: "And now?" }).result;
    expect(stop.type).toBe("end_turn");
    expect(model.rejected).toEqual([]);
    expect(JSON.stringify(await Array.fromAsync(pawl.store.read(sessionId)))).not.toContain("secret");
    expect(JSON.stringify(await Array.fromAsync(pawl.store.read(fork.id)))).toContain("secret");
  });
});
