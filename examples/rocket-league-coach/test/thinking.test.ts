import { approval, type EventStore, memoryStore } from "@pawl/core";
import { currentModels, limitsOf, messagesApi, type Rules } from "@pawl/testing";
import { beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { dyingStore, has } from "../../../packages/core/test/support/stores.ts";
import { readCoachConfig } from "../src/index.ts";
import { coachModel } from "../src/main/models.ts";
import { aspEvents, type CoachingOptions, tokenOf } from "./support/coaching.ts";
import {
  budgetOf,
  ended,
  expectNoSecrets,
  logOf,
  sessionOf,
  setUp,
  storedMessages,
} from "./support/set-up.ts";

const { coach, newUser } = setUp("thinker");
const IDS = Object.keys(currentModels);
const BOUND = "claude-sonnet-5-5";
const OTHER_BOUND = "claude-opus-5-5";
/** Thinks when it chooses to, and its thinking is bound to nothing. */
const FREE = "claude-opus-5";
/** Thinks before each answer, by a budget. Its thinking is bound to nothing. */
const MANUAL = "claude-opus-4-5";

beforeAll(() => {
  const binds = (id: string) => limitsOf(id)?.bindsThinking;
  expect([BOUND, OTHER_BOUND, FREE, MANUAL].map(binds)).toEqual([true, true, false, false]);
});

/** Thinks, saves a note and reads the notes in one turn, thinks again and reads once more, and answers. */
const noting: Rules = (_request, { turn }) => {
  const read = { name: "get_coaching_notes", input: {} };
  const save = { name: "save_coaching_note", input: { topic: "goals", text: "Champion I" } };
  if (turn === 0) return { thinking: "They name a goal.", text: "Let me see.", tools: [save, read] };
  if (turn === 1) return { thinking: "Is it kept?", tools: [read] };
  return { thinking: "It is.", text: "Noted. Take the small pads." };
};

/** A model's API with the rules of all models, and front servers of which each has one of the models. */
async function fronts(rules: Rules = noting) {
  const api = await messagesApi({ rules });
  onTestFinished(() => api.close());
  const clock = { now: Date.now() };
  const store: EventStore = memoryStore({ now: () => clock.now });
  const user = newUser();
  const open = async (id: string, options: Partial<CoachingOptions> = {}) => {
    const config = { ...readCoachConfig({ ANTHROPIC_API_KEY: "sk-test-0123456789" }), baseURL: api.url };
    const { model } = await coachModel({ ...config, modelId: id });
    const of = await coach({ model, store, budgetOf: budgetOf(10_000_000), ...options });
    const send = async (body: object) => await of.chat(body, tokenOf(user));
    const say = async (session_id?: string) => {
      const response = await send({ message: "My goal is Champion I", ...(session_id && { session_id }) });
      return { session_id: sessionOf(response), events: await aspEvents(response) };
    };
    return { of, send, say };
  };
  return { api, store, user, open, clock };
}

const END = { type: "message_stop", stop_reason: "end_turn" };

describe("X3 C12 thinking with tools, by the rules of each model", () => {
  it.each(IDS)("X3 C12 %s gets its thinking back as it was, in one run and in the next", async (id) => {
    const { api, user, open } = await fronts();
    const { of, say } = await open(id);
    const { session_id, events } = await say();
    expect(events.at(-1)).toEqual(END);
    expect(events.some(({ type }) => type === "thinking")).toBe(true);
    expect((await say(session_id)).events.at(-1)).toEqual(END);
    expect(api.rejected).toEqual([]);
    expect(api.requests).toHaveLength(6);
    const sent = JSON.stringify(api.requests.at(-1)?.body);
    const stored = (await storedMessages(of, user, session_id)).flatMap((one) => one.content_blocks);
    const signatures = (stored as { type: string; signature?: string }[]).flatMap(({ type, signature }) =>
      type === "thinking" && signature !== undefined ? [signature] : [],
    );
    expect(signatures).toHaveLength(6);
    // The last answer is stored, and not sent yet.
    for (const signature of signatures.slice(0, 5)) expect(sent).toContain(JSON.stringify(signature));
    await expectNoSecrets(of, user, [events], ["sk-test-0123456789"]);
  });

  it("X3 C12 a session takes each model in turn, and back", async () => {
    const { api, open } = await fronts();
    let session_id: string | undefined;
    for (const id of [...IDS, ...IDS.toReversed()]) {
      const { say } = await open(id);
      const said = await say(session_id);
      expect(said.events.at(-1), id).toEqual(END);
      session_id = said.session_id;
    }
    expect(api.rejected).toEqual([]);
    expect(api.requests).toHaveLength(IDS.length * 2 * 3);
  });

  const switches = [MANUAL, FREE, BOUND, OTHER_BOUND].flatMap((from, _, all) =>
    all.filter((to) => to !== from).map((to) => [from, to] as const),
  );
  it.each(switches)("X3 C12 P1 a run of %s that waits for the user continues with %s", async (from, to) => {
    const { api, open } = await fronts();
    const hooks = [approval({ when: ["save_coaching_note"] })];
    const { session_id, events } = await (await open(from, { hooks })).say();
    expect(events.at(-1)).toEqual({ type: "message_stop", stop_reason: "tool_use" });
    const call = events.find(({ name }) => name === "save_coaching_note")?.tool_use_id;
    const { send } = await open(to, { hooks });
    const tool_results = [{ tool_use_id: call, content: { approved: true } }];
    expect((await aspEvents(await send({ session_id, tool_results }))).at(-1)).toEqual(END);
    const { say } = await open(from);
    expect((await say(session_id)).events.at(-1)).toEqual(END);
    expect(api.rejected).toEqual([]);
    expect(new Set(api.requests.map(({ body }) => Object(body).model))).toEqual(new Set([from, to]));
  });

  it.each(switches)(
    "X3 C12 F17 after a front server with %s died between a call and its result, the session continues with %s",
    async (from, to) => {
      const { api, store, user, open, clock } = await fronts();
      const dying = dyingStore(store, (events) => has(events, "tool_result"), { isStored: false });
      const first = await open(from, { store: dying, leaseTtlMs: 1_000 });
      const response = await first.send({ message: "My goal is Champion I" });
      await expect.poll(() => dying.dead).toBe(true);
      clock.now += 60_000;
      const second = await open(to);
      await second.of.front.runtime.sweep();
      await ended(second.of, sessionOf(response));
      expect((await second.say(sessionOf(response))).events.at(-1)).toEqual(END);
      expect((await (await open(from)).say(sessionOf(response))).events.at(-1)).toEqual(END);
      expect(api.rejected).toEqual([]);
      await expectNoSecrets(second.of, user, []);
      await response.body?.cancel();
    },
  );

  it.each([MANUAL, FREE, BOUND])(
    "X3 C12 L9 %s continues after it was stopped in the middle of its thinking",
    async (id) => {
      let isLong = true;
      const long: Rules = (request, context) =>
        isLong && context.turn === 1
          ? { thinking: "And then there is this. ".repeat(2_000), text: "So.", delayPerEventMs: 20 }
          : noting(request, context);
      const { api, user, open } = await fronts(long);
      const { of, send, say } = await open(id);
      const response = await send({ message: "My goal is Champion I" });
      const streamed = aspEvents(response);
      await expect.poll(() => api.requests.length, { timeout: 20_000 }).toBe(2);
      const { runtime } = of.front;
      const read = runtime.follow(sessionOf(response));
      for await (const { type } of read) if (type === "thinking_delta") break;
      await of.front.runtime.stop(sessionOf(response), { userId: user });
      expect((await streamed).at(-1)?.type).toMatch(/^(message_stop|error)$/);
      isLong = false;
      expect((await say(sessionOf(response))).events.at(-1)).toEqual(END);
      expect(api.rejected).toEqual([]);
      expect((await logOf(of, sessionOf(response))).at(-1)?.type).toBe("run_ended");
    },
  );
});
