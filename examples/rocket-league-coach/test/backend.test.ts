import { gzipSync } from "node:zlib";
import { postgresReservations } from "@pawl/postgres";
import { strictModel } from "@pawl/testing";
import { describe, expect, it } from "vitest";
import { bodyOf, type Coaching, type CoachingOptions, SERVICE_KEY, tokenOf } from "./support/coaching.ts";
import { budgetOf, setUp } from "./support/set-up.ts";

const here = setUp("user");
const { coach, newUser } = here;

const model = strictModel({ script: [] });
const backend = async (options: Partial<CoachingOptions> = {}) => await coach({ model, ...options });

const text = (role: "user" | "assistant", words: string) => ({
  role,
  content_blocks: [{ type: "text", text: words }],
});

async function preflight(of: Coaching, userId: string, body: object = {}) {
  const response = await of.call("/chat/preflight", { message: "How am I doing?", ...body }, tokenOf(userId));
  return { status: response.status, body: await bodyOf(response) };
}

const settle = async (of: Coaching, path: string, body: object) => {
  const response = await of.call(`/chat/${path}`, body, SERVICE_KEY);
  return { status: response.status, body: await bodyOf(response) };
};

const rowsOf = async (userId: string) =>
  (await here.db.query("SELECT session_id FROM rl_coach.chat_session WHERE user_id = $1", [userId])).rows
    .length;

describe("X3 the coach's backend", () => {
  it("X3 E10 reserves in preflight, and answers what the front needs", async () => {
    const of = await backend({ budgetOf: budgetOf(300_000) });
    const user = newUser();
    const { status, body } = await preflight(of, user);
    expect(status).toBe(200);
    expect(body).toMatchObject({
      session_id: expect.any(String),
      reservation_id: expect.any(String),
      estimated_tokens: 100_000,
      budget_remaining: 200_000,
      is_free_preview: false,
      history: [],
      system_message: expect.stringContaining("Rocket League coach"),
    });
    expect(await of.budget(user)).toMatchObject({ limit: 300_000, used: 0, held: 100_000 });
    // The rest of the budget is less than the estimate.
    await preflight(of, user);
    const third = await preflight(of, user);
    expect(third.body).toMatchObject({ estimated_tokens: 100_000, budget_remaining: 0 });
    expect((await preflight(of, user)).status).toBe(402);
  });

  it("X3 F18 answers 402 before anything is stored, and lets a free preview pass once", async () => {
    const of = await backend({ budgetOf: budgetOf(0) });
    const user = newUser();
    const [a, b] = await Promise.all([preflight(of, user), preflight(of, user)]);
    expect([a.status, b.status].sort()).toEqual([200, 402]);
    const won = a.status === 200 ? a : b;
    const lost = a.status === 200 ? b : a;
    expect(won.body.is_free_preview).toBe(true);
    expect(lost.body).toMatchObject({ error: { code: "quota_exceeded" }, budget_remaining: 0 });
    expect(await rowsOf(user)).toBe(1);
    // Nothing of it was used, so the user has it still.
    await settle(of, "abort", { reservation_id: won.body.reservation_id });
    const again = await preflight(of, user);
    expect(again.body.is_free_preview).toBe(true);
    const { reservation_id } = again.body;
    await settle(of, "record", { reservation_id, tokens_used: 900, messages: [text("user", "Hi")] });
    expect((await preflight(of, user)).status).toBe(402);
    expect(await of.budget(user)).toMatchObject({ used: 0, held: 0 });
  });

  it("X3 E10 the free preview comes back if the backend dies between its claim and its request", async () => {
    const user = newUser();
    const real = postgresReservations(here.db);
    let now = Date.now();
    let isDying = true;
    const of = await backend({
      budgetOf: budgetOf(0),
      now: () => now,
      reservations: {
        ...real,
        reserve: async (request) => {
          if (isDying && request.account.endsWith("/preview")) throw new Error("The process died.");
          return await real.reserve(request);
        },
      },
    });
    const hasPreview = async () => await bodyOf<object>(await of.call("/budget", undefined, tokenOf(user)));
    expect((await preflight(of, user)).status).toBe(500);
    isDying = false;
    expect((await preflight(of, user)).status).toBe(402);
    expect(await hasPreview()).toMatchObject({ has_free_preview: false });
    now += 5 * 60_000 + 1;
    expect(await hasPreview()).toMatchObject({ has_free_preview: true });
    expect((await preflight(of, user)).body.is_free_preview).toBe(true);
    now += 60 * 60_000;
    expect((await preflight(of, user)).status).toBe(402);
    expect(await hasPreview()).toMatchObject({ has_free_preview: false });
  });

  it("X3 E10 a request that is repeated reserves once, and one that is over is refused", async () => {
    const of = await backend();
    const user = newUser();
    const sent = { request_id: "r1", new_session_id: `s-${user}` };
    const answers = await Promise.all([1, 2, 3].map(() => preflight(of, user, sent)));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect((await of.budget(user)).held).toBe(100_000);
    const { reservation_id } = answers[0]?.body ?? {};
    await settle(of, "record", { reservation_id, tokens_used: 10, messages: [text("user", "Hi")] });
    expect((await preflight(of, user, sent)).status).toBe(409);
    expect(await of.budget(user)).toMatchObject({ used: 10, held: 0 });
  });

  it("X3 E10 records once: a repeated record charges and stores nothing more", async () => {
    const of = await backend();
    const user = newUser();
    const { session_id, reservation_id } = (await preflight(of, user)).body;
    const thinking = { type: "thinking", thinking: "Hm.", signature: "c2ln" };
    const messages = [
      text("user", "Hi"),
      { role: "assistant", content_blocks: [thinking, { type: "text", text: "Hello." }] },
    ];
    const body = { session_id, reservation_id, tokens_used: 1_234, messages };
    const [first] = await Promise.all([1, 2, 3].map(() => settle(of, "record", body)));
    expect(first?.body).toMatchObject({ recorded: true, tokens_used: 1_234 });
    await settle(of, "record", { ...body, tokens_used: 9_999 });
    await settle(of, "abort", { reservation_id, tokens_used: 9_999, partial_messages: messages });
    expect(await of.budget(user)).toMatchObject({ used: 1_234, held: 0 });
    const read = await bodyOf(await of.call(`/sessions/${session_id}/messages`, undefined, tokenOf(user)));
    expect(read.messages.map(({ content_blocks }) => content_blocks)).toEqual(
      messages.map(({ content_blocks }) => content_blocks),
    );
    const { sessions } = await bodyOf(await of.call("/sessions", undefined, tokenOf(user)));
    expect(sessions).toMatchObject([{ session_id, message_count: 2, tokens_used: 1_234 }]);
    const next = await preflight(of, user, { session_id });
    expect(next.body.history).toEqual([
      { role: "user", content: [{ type: "text", text: "Hi" }] },
      { role: "assistant", content: [thinking, { type: "text", text: "Hello." }] },
    ]);
  });

  it("X3 E10 an abort charges what was used, gives the rest back and keeps the messages so far", async () => {
    const of = await backend();
    const user = newUser();
    const { session_id, reservation_id } = (await preflight(of, user)).body;
    await settle(of, "abort", {
      reservation_id,
      tokens_used: 700,
      partial_messages: [text("user", "Hi"), text("assistant", "Hel")],
    });
    expect(await of.budget(user)).toMatchObject({ used: 700, held: 0 });
    const read = await bodyOf(await of.call(`/sessions/${session_id}/messages`, undefined, tokenOf(user)));
    expect(read.messages).toMatchObject([{ content_text: "Hi" }, { content_text: "Hel" }]);
    // A renewal that was late holds nothing.
    expect((await settle(of, "renew", { reservation_id, tokens_used: 700 })).body.held).toBe(false);
    expect((await of.budget(user)).held).toBe(0);
    // A run that resumes reserves again, and is charged for all that it used.
    expect((await settle(of, "renew", { reservation_id, tokens_used: 800, again: true })).body.held).toBe(
      true,
    );
    expect((await of.budget(user)).used).toBe(800);
    // After the end of its run, a process that comes too late holds nothing any more.
    await settle(of, "abort", { reservation_id, tokens_used: 900, final: true });
    expect((await settle(of, "renew", { reservation_id, tokens_used: 950, again: true })).body.held).toBe(
      false,
    );
    expect(await of.budget(user)).toMatchObject({ used: 900, held: 0 });
  });

  it("X3 E10 a reservation expires, is made again by a renewal, and is charged in full after it", async () => {
    const of = await backend({ ttlMs: 1, budgetOf: budgetOf(100_000) });
    const user = newUser();
    const { reservation_id } = (await preflight(of, user)).body;
    await expect.poll(() => of.budget(user)).toMatchObject({ used: 0, held: 0 });
    const patient = await backend({ budgetOf: budgetOf(100_000) });
    const other = (await preflight(patient, user)).body;
    expect((await settle(patient, "renew", { reservation_id, tokens_used: 50, again: true })).body.held).toBe(
      false,
    );
    await settle(patient, "abort", { reservation_id: other.reservation_id });
    expect((await settle(patient, "renew", { reservation_id, tokens_used: 50, again: true })).body.held).toBe(
      true,
    );
    await settle(patient, "record", {
      reservation_id,
      tokens_used: 120_000,
      messages: [text("user", "Hi")],
    });
    expect(await patient.budget(user)).toMatchObject({ used: 120_000, held: 0, remaining: 0 });
  });

  it("X3 T10 wants a bearer token for every route, and shows users nothing of each other", async () => {
    const of = await backend();
    const [ada, bob] = [newUser(), newUser()];
    const { session_id, reservation_id } = (await preflight(of, ada)).body;
    const gets = ["/tools/schema", "/budget", "/sessions", `/sessions/${session_id}/messages`];
    for (const path of gets) expect((await of.call(path, undefined, "wrong")).status, path).toBe(401);
    for (const path of ["/tools/execute", "/chat/preflight", "/chat/record", "/chat/renew", "/chat/abort"])
      expect((await of.call(path, { reservation_id }, "wrong")).status, path).toBe(401);
    const unknown = await of.backend.request("/api/v1/coach/budget");
    expect([unknown.status, unknown.headers.get("www-authenticate")]).toEqual([401, "Bearer"]);
    const packed = await of.backend.request("/api/v1/coach/chat/preflight", {
      method: "POST",
      headers: { authorization: `Bearer ${tokenOf(ada)}`, "content-encoding": "gzip" },
      body: gzipSync("{}"),
    });
    expect([packed.status, packed.headers.get("accept-encoding")]).toEqual([415, "identity"]);
    expect((await of.call(`/sessions/${session_id}/messages`, undefined, tokenOf(bob))).status).toBe(404);
    expect((await preflight(of, bob, { session_id })).status).toBe(404);
    expect((await preflight(of, bob, { new_session_id: session_id })).status).toBe(404);
    expect((await preflight(of, bob, { user_id: ada })).status).toBe(403);
    expect(await of.budget(bob)).toMatchObject({ used: 0, held: 0 });
    expect((await of.call("/chat/unsettled", undefined, tokenOf(ada))).status).toBe(403);
    // A user who could settle could report no use.
    for (const path of ["/chat/record", "/chat/renew", "/chat/abort"]) {
      const body = { reservation_id, tokens_used: 0, messages: [text("user", "Hi")] };
      expect((await of.call(path, body, tokenOf(ada))).status, path).toBe(403);
    }
  });

  it("X3 names what is wrong with a request, and stores nothing of it", async () => {
    const of = await backend();
    const user = newUser();
    for (const wrong of [{}, { message: " " }, { message: 1 }, { message: "x".repeat(10_001) }]) {
      const response = await of.call("/chat/preflight", wrong, tokenOf(user));
      expect(response.status).toBe(400);
      expect((await bodyOf(response)).error).toMatchObject({
        code: "invalid_request",
        message: expect.stringContaining("message"),
      });
    }
    expect(await rowsOf(user)).toBe(0);
    const { reservation_id } = (await preflight(of, user)).body;
    const empty = [{ role: "user", content_blocks: [{ type: "text", text: "" }] }];
    const refused = await settle(of, "record", { reservation_id, tokens_used: 1, messages: empty });
    expect(refused.body.error.message).toContain("messages.0.content_blocks.0");
    expect((await settle(of, "record", { reservation_id, tokens_used: -1, messages: [] })).status).toBe(400);
    expect((await settle(of, "renew", { reservation_id: "none", tokens_used: 1 })).status).toBe(404);
    expect((await of.budget(user)).held).toBe(100_000);
  });

  it("X3 B7 reads the body of a user up to its limit only, in both processes", async () => {
    const of = await backend();
    const user = newUser();
    const large = await preflight(of, user, { note: "x".repeat(100_000) });
    expect(large.status).toBe(400);
    expect(large.body.error.message).toBe("The body is larger than 100000 bytes.");
    let pulled = 0;
    const pull = (controller: ReadableStreamDefaultController<Uint8Array>) => {
      pulled += 1;
      controller.enqueue(new Uint8Array(100_000).fill(32));
    };
    const send = async (token: string) => {
      const body = new ReadableStream<Uint8Array>({ pull });
      const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
      const init = { method: "POST", headers, body, duplex: "half" };
      return await of.front.serve(new Request("http://front/api/coach/chat", init as RequestInit));
    };
    expect((await send(tokenOf(user))).status).toBe(413);
    expect((await send("wrong")).status).toBe(401);
    expect(pulled).toBeLessThan(30);
  });

  it("X3 C12 shows rows of the older shape, which have text only, as one block", async () => {
    const of = await backend();
    const user = newUser();
    const { session_id } = (await preflight(of, user)).body;
    await here.db.query(
      `INSERT INTO rl_coach.chat_message (session_id, role, content, created_at)
       VALUES ($1, 'user', 'Old question', now()), ($1, 'assistant', 'Old answer', now()),
         ($1, 'user', '', now())`,
      [session_id],
    );
    const read = await bodyOf(await of.call(`/sessions/${session_id}/messages`, undefined, tokenOf(user)));
    expect(read.messages).toMatchObject([
      { role: "user", content_blocks: [{ type: "text", text: "Old question" }] },
      { role: "assistant", content_blocks: [{ type: "text", text: "Old answer" }] },
      { role: "user", content_blocks: [] },
    ]);
    expect((await preflight(of, user, { session_id })).body.history).toHaveLength(2);
  });
});
