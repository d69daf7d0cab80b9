import { randomUUID } from "node:crypto";
import { type EventStore, PawlError } from "@pawl/core";
import { isName, type SessionToOpen, type Snapshot } from "@pawl/core/store";
import { postgresBlobs, postgresStore } from "@pawl/postgres";
import type { SupabaseClient } from "@supabase/supabase-js";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { answer, sendMessage, supabaseBlobs, supabaseStore } from "../src/index.ts";
import { noStack, type Stack, stack } from "./support/stack.ts";

let project: Stack;
let server: EventStore;
const anna = randomUUID();
const ben = randomUUID();
let annas: SupabaseClient;
let bens: SupabaseClient;

beforeAll(async () => {
  if (noStack !== undefined) return;
  project = await stack();
  annas = project.user(await project.keys.token(anna));
  bens = project.user(await project.keys.token(ben));
  server = postgresStore(project.database.pool());
}, 60_000);
afterAll(() => project?.stop());

const asked = {
  type: "tool_suspended",
  key: "asked:1:q1",
  data: { tool_name: "ask", call_id: "q1", kind: "question", payload: {}, answer_schema: {} },
} as const;

/** A session of Anna's that waits for an answer to event 2. */
async function ofAnna(): Promise<string> {
  const id = `'; -- ${randomUUID()}`;
  await server.sessions.create({ id, userId: anna, agent: "coach" });
  await server.append(id, [{ type: "user_message", data: { message: "hi" } }, asked], {
    appendId: "first",
    session: { openRun: "run", status: "suspended", addPending: 1 },
  });
  await postgresBlobs(project.database.pool()).put(id, "blob", '"large"');
  return id;
}

const note = { type: "note", data: { text: "x" } } as const;
const forbidden = { code: "forbidden" };
const log = async (store: EventStore, id: string) => await Array.fromAsync(store.read(id));
const count = async (id: string) => (await log(server, id)).length;

const open = (client: SupabaseClient, wanted: SessionToOpen) =>
  Promise.resolve(supabaseStore(client).open?.(wanted));
const save = (client: SupabaseClient, id: string, snapshot: Snapshot) =>
  Promise.resolve(supabaseStore(client).saveSnapshot?.(id, snapshot));

/** Everything that only the service may do. */
const writes: Record<string, (client: SupabaseClient, id: string) => Promise<unknown>> = {
  append: (client, id) => supabaseStore(client).append(id, [note], { appendId: randomUUID() }),
  acquire: (client, id) => supabaseStore(client).acquire(id, "me", 60_000),
  open: (client, id) =>
    open(client, { id, userId: anna, agent: "coach", holder: "me", ttlMs: 60_000, snapshot: "1" }),
  saveSnapshot: (client, id) => save(client, id, { version: "1", seq: 2, state: "{}" }),
  renew: (client, id) => supabaseStore(client).renew({ sessionId: id, holder: "leg", epoch: 1 }, 60_000),
  release: (client, id) => supabaseStore(client).release({ sessionId: id, holder: "leg", epoch: 1 }),
  "sessions.create": (client) =>
    supabaseStore(client).sessions.create({ id: randomUUID(), userId: anna, agent: "coach" }),
  listRecoverable: (client) => supabaseStore(client).listRecoverable({ limit: 100 }),
  "listRecoverable, by pages": (client) => supabaseStore(client).listRecoverable({ limit: 100, after: "" }),
  "blobs.put": (client, id) => supabaseBlobs(client).put(id, "other", '"x"'),
};

describe.skipIf(noStack !== undefined)("E6 E11 with real tokens, through PostgREST and supabase-js", () => {
  it("E6 E11 a user reads their own sessions and nobody else's; the service reads all", async () => {
    const id = await ofAnna();
    const all = await log(server, id);
    for (const client of [annas, project.service()]) {
      const store = supabaseStore(client);
      expect(await log(store, id)).toEqual(all);
      expect(await store.sessions.get(id)).toEqual(await server.sessions.get(id));
      expect((await store.sessions.list({ userId: anna })).map((session) => session.id)).toContain(id);
      expect(await supabaseBlobs(client).get(id, "blob")).toBe('"large"');
    }
    const foreign = supabaseStore(bens);
    expect(await log(foreign, id)).toEqual([]);
    expect(await foreign.sessions.get(id)).toBeUndefined();
    expect(await foreign.sessions.list({ userId: anna })).toEqual([]);
    expect(await supabaseBlobs(bens).get(id, "blob")).toBeUndefined();
  });

  it.each(Object.entries(writes))(
    "E6 E11 %s is refused for a user, also in their own session, and without a user",
    async (_name, write) => {
      const id = await ofAnna();
      const before = await server.sessions.get(id);
      for (const client of [annas, bens, project.user(undefined)])
        await expect(write(client, id)).rejects.toMatchObject(forbidden);
      expect([await count(id), await server.sessions.get(id)]).toEqual([2, before]);
      await write(project.service(), id);
    },
  );

  it.each([
    ["agent_sessions", "id"],
    ["agent_session_events", "session_id"],
    ["agent_session_blobs", "session_id"],
    ["agent_session_snapshots", "session_id"],
    ["pawl_migrations", "name"],
  ])("E6 no user writes to %s directly", async (table, column) => {
    const id = await ofAnna();
    for (const client of [annas, bens, project.user(undefined)]) {
      const answers = await Promise.all([
        client.from(table).insert({ [column]: id } as never),
        client.from(table).upsert({ [column]: id } as never),
        client
          .from(table)
          .update({ [column]: "taken" })
          .eq(column, id),
        client.from(table).delete().eq(column, id),
      ]);
      for (const { error } of answers) expect(error?.code).toBe("42501");
    }
    expect(await count(id)).toBe(2);
  });

  it("E6 no role can call a function that is not granted to it", async () => {
    const names = await project.database
      .pool()
      .query(
        "SELECT proname, pg_get_function_identity_arguments(oid) AS args FROM pg_proc WHERE proname LIKE 'pawl%'",
      );
    const open = ["events", "session", "sessions", "get_blob", "send_message", "answer"];
    const own = [
      ...open.map((name) => `pawl_rpc_${name}`),
      "pawl_send_message",
      "pawl_answer",
      "pawl_user_id",
    ];
    for (const { proname, args } of names.rows as { proname: string; args: string }[]) {
      const named = [...args.matchAll(/(?<!OUT )\b(p_\w+) (\w+)/g)].map(([, name = "", type]) => {
        return [name, type === "integer" ? 1 : type === "boolean" ? false : type === "text" ? "x" : null];
      });
      for (const [client, allowed] of [
        [annas, own],
        [project.user(undefined), []],
      ] as const) {
        const { error } = await client.rpc(proname, Object.fromEntries(named));
        if (!(allowed as readonly string[]).includes(proname))
          expect([proname, error?.code]).toEqual([proname, "42501"]);
        else expect([proname, error?.code]).not.toEqual([proname, "42501"]);
      }
    }
    expect(names.rows.length).toBeGreaterThan(18);
  });

  it("E6 a token that is tampered with, expired, of another key or of no role of ours gets nowhere", async () => {
    const id = await ofAnna();
    const good = await project.keys.token(anna);
    const [head, body = "", seal] = good.split(".");
    const claims = JSON.parse(Buffer.from(body, "base64url").toString()) as object;
    const forged = Buffer.from(JSON.stringify({ ...claims, role: "service_role" })).toString("base64url");
    const none = Buffer.from('{"alg":"none"}').toString("base64url");
    const tokens = [
      `${head}.${forged}.${seal}`,
      `${none}.${forged}.`,
      await project.keys.token(anna, { expiresIn: -120 }),
      await project.keys.token(anna, { role: "postgres" }),
      "garbage",
    ];
    for (const token of tokens) {
      const client = project.user(token);
      const attempts = await Promise.allSettled([
        log(supabaseStore(client), id),
        supabaseStore(client).append(id, [note], { appendId: "forged" }),
        sendMessage(client, { sessionId: id, message: "forged", appendId: "forged" }),
      ]);
      for (const attempt of attempts) {
        const error: unknown = attempt.status === "rejected" ? attempt.reason : undefined;
        expect(PawlError.is(error, "forbidden"), `${token}: ${String(error)}`).toBe(true);
        const { message, cause } = error as Error;
        if (token.includes(".")) expect(`${message} ${cause}`).not.toContain(token);
      }
    }
    expect(await count(id)).toBe(2);
  });

  it("E6 E11 a user sends messages to their own sessions, each once, and to no other", async () => {
    const id = await ofAnna();
    const message = `"} \0 \ud800 '; DROP TABLE agent_sessions; -- </knowledge> $1 \\u0000`;
    const own = { sessionId: id, message, appendId: "a1", clientMessageId: "m1" };
    const first = await sendMessage(annas, own);
    expect(first).toEqual({ seq: 3, at: expect.any(String) });
    expect(await sendMessage(annas, own)).toEqual(first);
    const stored = (await log(server, id))[2];
    const again = sendMessage(annas, { ...own, appendId: "a2" });
    await expect(again).rejects.toMatchObject({ code: "key_taken", details: { event: stored } });
    expect(stored).toMatchObject({ type: "user_message", seq: 3, key: "message:m1", at: first.at });
    expect(stored?.data).toEqual({ message, queued: true });

    const foreign = { ...own, appendId: "b1", clientMessageId: "m2" };
    await expect(sendMessage(bens, foreign)).rejects.toMatchObject({ code: "not_found" });
    await expect(sendMessage(bens, { ...foreign, sessionId: "none" })).rejects.toMatchObject({
      code: "not_found",
    });
    await expect(sendMessage(project.user(undefined), foreign)).rejects.toMatchObject(forbidden);
    for (const bad of [{ message: " " }, { message: "" }, { appendId: "" }, { clientMessageId: "\0" }])
      await expect(sendMessage(annas, { ...own, appendId: "c", ...bad })).rejects.toMatchObject({
        code: "invalid_input",
      });
    expect(await count(id)).toBe(3);
  });

  it("E6 E11 a user answers a question of their own session, once, and no other", async () => {
    const id = await ofAnna();
    const value = { z: 1, a: "\0 \ud800", 10: [null, true] };
    const own = { sessionId: id, question: 2, value, appendId: "a1" };
    await expect(answer(bens, own)).rejects.toMatchObject({ code: "not_found" });
    await expect(answer(project.user(undefined), own)).rejects.toMatchObject(forbidden);
    for (const question of [1, 3]) {
      await expect(answer(annas, { ...own, question })).rejects.toMatchObject({ code: "not_found" });
    }
    const both = await Promise.allSettled(["a", "b"].map((appendId) => answer(annas, { ...own, appendId })));
    expect(both.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
    const loser = both.find((one) => one.status === "rejected");
    expect(loser?.reason).toMatchObject({ code: "already_answered" });
    const events = await log(server, id);
    expect(events).toHaveLength(3);
    expect(events[2]).toMatchObject({ type: "tool_answered", key: "answer:1:q1" });
    expect(JSON.stringify(events[2]?.data)).toBe(
      `{"tool_name":"ask","call_id":"q1","value":${JSON.stringify(value)}}`,
    );
    expect(await server.sessions.get(id)).toMatchObject({ status: "active", pending: 0 });
  });

  it("E6 users can still write if a project revokes their right to read", async () => {
    const id = await ofAnna();
    const pool = project.database.pool();
    const tables = "agent_sessions, agent_session_events, agent_session_blobs";
    await pool.query(`REVOKE SELECT ON ${tables} FROM authenticated`);
    try {
      await expect(log(supabaseStore(annas), id)).rejects.toMatchObject(forbidden);
      const own = { sessionId: id, message: "hi", appendId: "a", clientMessageId: "c" };
      expect((await sendMessage(annas, own)).seq).toBe(3);
      await expect(sendMessage(annas, { ...own, appendId: "b" })).rejects.toMatchObject({
        code: "key_taken",
      });
      expect((await answer(annas, { sessionId: id, question: 2, value: 1, appendId: "d" })).seq).toBe(4);
    } finally {
      await pool.query("SELECT pawl_grant_users('authenticated')");
    }
  });

  it("E11 invalid ids are refused without a request", async () => {
    expect(isName("\0")).toBe(false);
    const gone = project.user(undefined);
    await expect(sendMessage(gone, { sessionId: "\0", message: "x", appendId: "a" })).rejects.toMatchObject({
      code: "not_found",
    });
    const bad = answer(gone, { sessionId: "\ud800", question: 1, value: 1, appendId: "a" });
    await expect(bad).rejects.toMatchObject({ code: "not_found" });
  });
});
