import { approval, memoryStore } from "@pawl/core";
import { postgresReservations } from "@pawl/postgres";
import type { Rules } from "@pawl/testing";
import { describe, expect, it } from "vitest";
import { dyingStore, has } from "../../../packages/core/test/support/stores.ts";
import { pause } from "../../../test/support/pause.ts";
import { settled } from "../../../test/support/settled.ts";
import {
  aspEvents,
  billing,
  bodyOf,
  type Coaching,
  type CoachingOptions,
  tokenOf,
} from "./support/coaching.ts";
import { budgetOf, ended, logOf, sessionOf, setUp, storedMessages } from "./support/set-up.ts";

const here = setUp("payer");
const { coach, newUser } = here;

/** Thinks and saves a note, then thinks and answers. */
const noting: Rules = (_request, { turn }) =>
  turn === 0
    ? {
        thinking: "They name a goal. Keep it.",
        tools: [
          { name: "save_coaching_note", input: { topic: "boost", text: "Wants to waste less boost." } },
        ],
      }
    : { thinking: "It is kept.", text: "Noted. Take the small pads on your way back." };

/** Saves a note in each of two turns, and then answers. */
const twice = ((request, context) =>
  context.turn < 2 ? noting(request, { ...context, turn: 0 }) : { text: "Noted." }) satisfies Rules;

describe("X3 E10 a user is charged what the model billed", () => {
  it("X3 E10 C12 if the run finishes, and its messages are stored as they were", async () => {
    const user = newUser();
    const model = billing({ rules: noting });
    const of = await coach({ model });
    const response = await of.chat({ message: "I want to waste less boost" }, tokenOf(user));
    expect(response.status).toBe(200);
    const events = await aspEvents(response);
    expect(events[0]).toEqual({ type: "ack" });
    expect(events.at(-1)).toEqual({ type: "message_stop", stop_reason: "end_turn" });
    expect(events.filter(({ type }) => type === "message_stop")).toHaveLength(1);
    expect(events.map(({ type }) => type)).toEqual(
      expect.arrayContaining(["thinking", "tool", "tool_result"]),
    );
    expect(model.rejected).toEqual([]);
    expect(model.billed).toBeGreaterThan(1_000);
    expect(await of.budget(user)).toMatchObject({ used: model.billed, held: 0 });
    const messages = await storedMessages(of, user, sessionOf(response));
    expect(messages.map(({ role }) => role)).toEqual(["user", "assistant", "user", "assistant"]);
    expect(messages[1]?.content_blocks).toMatchObject([
      { type: "thinking", signature: expect.stringMatching(/./) },
      { type: "tool_use", name: "save_coaching_note" },
    ]);
    expect(messages[2]?.content_blocks).toMatchObject([{ type: "tool_result", content: expect.any(String) }]);
    const log = JSON.stringify(await logOf(of, sessionOf(response)));
    expect(log).not.toContain(tokenOf(user));
    // The conversation continues with signed thinking, in the same session.
    const more = { message: "And my rotation?", session_id: sessionOf(response) };
    await aspEvents(await of.chat(more, tokenOf(user)));
    expect(model.rejected).toEqual([]);
    expect(await of.budget(user)).toMatchObject({ used: model.billed, held: 0 });
    expect(await storedMessages(of, user, sessionOf(response))).toHaveLength(8);
  });

  it("X3 E10 L10 if its client leaves, and the history so far is kept", async () => {
    const user = newUser();
    const model = billing({ rules: noting });
    let stuck = () => {};
    const inTool = new Promise<void>((resolve) => {
      stuck = resolve;
    });
    const of = await coach({
      model,
      between: async (request, send) => {
        if (!request.url.endsWith("/tools/execute")) return await send(request);
        stuck();
        return await new Promise((_, reject) =>
          request.signal.addEventListener("abort", () => reject(request.signal.reason)),
        );
      },
    });
    const leaving = new AbortController();
    const response = await of.chat({ message: "Note my goal" }, tokenOf(user), leaving.signal);
    const session = sessionOf(response);
    await inTool;
    expect((await of.budget(user)).held).toBeGreaterThan(0);
    await response.body?.cancel();
    leaving.abort();
    await ended(of, session);
    const end = (await logOf(of, session)).find(({ type }) => type === "run_ended");
    expect(end?.data).toMatchObject({ stop: { type: "aborted" } });
    expect(model.billed).toBeGreaterThan(0);
    expect(await of.budget(user)).toMatchObject({ used: model.billed, held: 0 });
    const messages = await storedMessages(of, user, session);
    expect(messages.map(({ role }) => role)).toEqual(["user", "assistant", "user"]);
    expect(messages[2]?.content_blocks).toMatchObject([{ type: "tool_result", is_error: true }]);
  });

  it.each(["llm_response", "tool_result", "effect_started", "effect_ended", "run_ended"] as const)(
    "X3 E10 F17 if the front server dies before it stores %s",
    async (type) => {
      const user = newUser();
      let now = Date.now();
      const log = memoryStore({ now: () => now });
      const model = billing({ rules: noting });
      const dying = dyingStore(log, (events) => has(events, type), { isStored: false });
      const first = await coach({ model, store: dying, leaseTtlMs: 1_000 });
      const response = await first.chat({ message: "Note my goal" }, tokenOf(user));
      const session = sessionOf(response);
      await expect.poll(() => dying.dead).toBe(true);
      now += 60_000;
      const second = await coach({ model, store: log });
      expect(await second.front.runtime.sweep()).toBe(1);
      await ended(second, session);
      const billed = type === "llm_response" ? await chargedInLog(second, session) : model.billed;
      expect(await second.budget(user)).toMatchObject({ used: billed, held: 0 });
      expect(billed).toBeGreaterThan(0);
      await response.body?.cancel();
    },
  );

  it.each(["before the charge", "between the charge and the messages", "before its answer arrives"])(
    "X3 E10 if the backend dies in record, %s",
    async (when) => {
      const user = newUser();
      let now = Date.now();
      let isDown = false;
      let attempts = 0;
      const model = billing({ rules: noting });
      const real = postgresReservations(here.db);
      const of = await coach({
        model,
        store: memoryStore({ now: () => now }),
        reservations: {
          ...real,
          finalize: async (id, used) => {
            const done = await real.finalize(id, used);
            if (isDown && when.startsWith("between")) throw new Error("The process died.");
            return done;
          },
        },
        between: async (request, send) => {
          const isRecord = request.url.endsWith("/chat/record");
          if (isRecord) attempts += 1;
          if (isRecord && when.startsWith("before the charge") && isDown)
            throw new Error("Connection refused");
          const response = await send(request);
          if (isRecord && when.startsWith("before its") && isDown) throw new Error("Connection reset");
          return response;
        },
      });
      isDown = true;
      const response = await of.chat({ message: "Note my goal" }, tokenOf(user));
      const session = sessionOf(response);
      const streamed = aspEvents(response);
      // The front repeats the request, then leaves the run open.
      await expect.poll(() => attempts, { timeout: 20_000 }).toBe(3);
      await settled();
      expect(has(await logOf(of, session), "run_ended")).toBe(false);
      isDown = false;
      now += 60_000;
      expect(await of.front.runtime.sweep()).toBe(1);
      // The stream has stayed open.
      const events = await streamed;
      expect(JSON.stringify(events)).toContain("small pads");
      expect(events.at(-1)).toEqual({ type: "message_stop", stop_reason: "end_turn" });
      expect(await of.budget(user)).toMatchObject({ used: model.billed, held: 0 });
      expect(await storedMessages(of, user, session)).toHaveLength(4);
    },
  );

  it("X3 E10 if the backend is too slow in record, longer than the end of a run may take", async () => {
    const user = newUser();
    let now = Date.now();
    let isSlow = true;
    const model = billing({ rules: noting });
    const of = await coach({
      model,
      store: memoryStore({ now: () => now }),
      between: async (request, send) => {
        if (!isSlow || !request.url.endsWith("/chat/record")) return await send(request);
        return await new Promise((_, reject) =>
          request.signal.addEventListener("abort", () => reject(request.signal.reason)),
        );
      },
    });
    const response = await of.chat({ message: "Note my goal" }, tokenOf(user));
    const session = sessionOf(response);
    const streamed = aspEvents(response);
    await expect
      .poll(async () => has(await logOf(of, session), "effect_started"), { timeout: 20_000 })
      .toBe(true);
    await pause(5_500, "longer than the 5 s that the end of a run may take");
    expect(has(await logOf(of, session), "run_ended")).toBe(false);
    isSlow = false;
    now += 60_000;
    await of.front.runtime.sweep();
    expect((await streamed).at(-1)).toEqual({ type: "message_stop", stop_reason: "end_turn" });
    expect(await of.budget(user)).toMatchObject({ used: model.billed, held: 0 });
  });

  it("X3 E10 if the backend is down for long after the run", async () => {
    const user = newUser();
    let now = Date.now();
    let isDown = true;
    let attempts = 0;
    const model = billing({ rules: noting });
    const store = memoryStore({ now: () => now });
    const between: CoachingOptions["between"] = async (request, send) => {
      if (!isDown || !request.url.endsWith("/chat/record")) return await send(request);
      attempts += 1;
      throw new Error("Connection refused");
    };
    const first = await coach({ model, store, between });
    const response = await first.chat({ message: "Note my goal" }, tokenOf(user));
    const session = sessionOf(response);
    await expect.poll(() => attempts, { timeout: 20_000 }).toBe(3);
    let of = first;
    for (let restarts = 1; restarts <= 3; restarts += 1) {
      await settled();
      now += 60_000;
      of = await coach({ model, store, between });
      await of.front.runtime.sweep();
      await expect.poll(() => attempts, { timeout: 20_000 }).toBe(3 + 3 * restarts);
    }
    await settled();
    now += 60_000;
    of = await coach({ model, store, between });
    await of.front.runtime.sweep();
    // The run is given up: it ends, and its last answer is not charged yet.
    await ended(of, session);
    expect((await of.budget(user)).used).toBeLessThan(model.billed);
    isDown = false;
    await pause(5, "a reservation of 1 ms expires, by the time of the database");
    of = await coach({ model, store, between, ttlMs: 1 });
    expect(await of.front.settle()).toBeGreaterThan(0);
    expect(await of.budget(user)).toMatchObject({ used: model.billed, held: 0 });
    expect(await storedMessages(of, user, session)).toHaveLength(4);
    expect(await of.front.settle()).toBe(0);
    await response.body?.cancel();
  });

  it.each([
    ["and the budget has room for more", 100_000, "end_turn", 3],
    ["and the budget has room for a part of it", 7_000, "end_turn", 3],
    ["and the budget has no room for more", 6_000, "quota_exceeded", 2],
  ])("X3 E10 if a run uses more than was set aside for it, %s", async (_, tokens, stop, requests) => {
    const user = newUser();
    const none = { cache_creation_input_tokens: 0, cache_read_input_tokens: 0 };
    const usage = { input_tokens: 1_900, output_tokens: 150, ...none };
    const model = billing({ rules: (request, context) => ({ ...twice(request, context), usage }) });
    const of = await coach({ model, estimatedTokens: 4_000, budgetOf: budgetOf(tokens) });
    const response = await of.chat({ message: "Note my goal" }, tokenOf(user));
    const text = await response.text();
    const end = (await logOf(of, sessionOf(response))).find(({ type }) => type === "run_ended");
    expect(end?.data).toMatchObject({ stop: { type: stop } });
    expect(model.requests).toHaveLength(requests);
    if (stop === "quota_exceeded") expect(text).toContain("Your token budget has no room left");
    expect(await of.budget(user)).toMatchObject({ used: model.billed, held: 0 });
    expect(model.billed).toBe(2_050 * requests);
  });

  it("X3 E10 F18 if two tabs ask at once and the budget has room for one", async () => {
    const user = newUser();
    const model = billing({ rules: noting });
    const of = await coach({ model, budgetOf: budgetOf(100_000) });
    const tabs = await Promise.all([1, 2].map((tab) => of.chat({ message: `Tab ${tab}` }, tokenOf(user))));
    expect(tabs.map(({ status }) => status).sort()).toEqual([200, 402]);
    const refused = tabs.find(({ status }) => status === 402) as Response;
    expect((await bodyOf(refused)).error).toMatchObject({ code: "quota_exceeded" });
    const won = tabs.find(({ status }) => status === 200) as Response;
    await aspEvents(won);
    expect(await of.budget(user)).toMatchObject({ used: model.billed, held: 0 });
    const sessions = await of.front.runtime.store.sessions.list({ userId: user, limit: 10 });
    expect(sessions.map(({ id }) => id)).toEqual([sessionOf(won)]);
  });

  it("X3 E10 if two tabs send to one session at once, and if one message is sent twice", async () => {
    const user = newUser();
    const model = billing({ rules: (request, context) => ({ ...noting(request, context), latencyMs: 30 }) });
    const of = await coach({ model });
    const first = await of.chat({ message: "Hello" }, tokenOf(user));
    const session = sessionOf(first);
    const tabs = await Promise.all([
      first,
      of.chat({ message: "Tab 2", session_id: session }, tokenOf(user)),
      of.chat({ message: "Tab 3", session_id: session, client_message_id: "m3" }, tokenOf(user)),
      of.chat({ message: "Tab 3", session_id: session, client_message_id: "m3" }, tokenOf(user)),
    ]);
    await Promise.all(tabs.map((tab) => tab.text()));
    await expect
      .poll(async () => (await of.store.sessions.get(session))?.openRun, { timeout: 20_000 })
      .toBeNull();
    expect(model.rejected).toEqual([]);
    expect(await of.budget(user)).toMatchObject({ used: model.billed, held: 0 });
    const said = (await storedMessages(of, user, session)).map(({ content_text }) => content_text).join("\n");
    for (const one of ["Hello", "Tab 2", "Tab 3"]) expect(said.split(one)).toHaveLength(2);
  });

  it.each([
    ["and the budget still has room", 300_000, "end_turn"],
    ["and other requests have taken the budget", 100_000, "quota_exceeded"],
  ])("X3 E10 P1 if it waits for the user while its reservation expires, %s", async (_, tokens, stop) => {
    const user = newUser();
    const model = billing({ rules: noting });
    const hooks = [approval({ when: ["save_coaching_note"] })];
    const of = await coach({ model, hooks, ttlMs: 60, budgetOf: budgetOf(tokens) });
    const response = await of.chat({ message: "Note my goal" }, tokenOf(user));
    const session = sessionOf(response);
    const events = await aspEvents(response);
    expect(events.at(-1)).toEqual({ type: "message_stop", stop_reason: "tool_use" });
    expect(await of.budget(user)).toMatchObject({ used: model.billed, held: 0 });
    await pause(120, "longer than the user's reservation is held");
    const patient = await coach({ model, budgetOf: budgetOf(tokens) });
    await patient.call("/chat/preflight", { message: "Another tab" }, tokenOf(user));
    const call = events.find(({ type }) => type === "tool")?.tool_use_id;
    const answer = {
      session_id: session,
      tool_results: [{ tool_use_id: call, content: { approved: true } }],
    };
    await aspEvents(await of.chat(answer, tokenOf(user)));
    const end = (await logOf(of, session)).find(({ type }) => type === "run_ended");
    expect(end?.data).toMatchObject({ stop: { type: stop } });
    expect((await of.budget(user)).used).toBe(model.billed);
  });
});

/** Returns the tokens of the log: reported usage, and the estimates for answers that were lost. */
async function chargedInLog(of: Coaching, sessionId: string): Promise<number> {
  const end = (await logOf(of, sessionId)).find(({ type }) => type === "run_ended");
  return end?.type === "run_ended" ? end.data.tokens.total : 0;
}
