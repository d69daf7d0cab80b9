import { claude } from "@pawl/anthropic";
import {
  agent,
  type ModelClient,
  memoryStore,
  runtime,
  type StoredEvent,
  withIdleWatchdog,
  withRetry,
} from "@pawl/core";
import { dataSource, initializer } from "@pawl/knowledge";
import { openai } from "@pawl/openai";
import { type HttpApi, messagesApi, openaiApi, type Reply, strictModel } from "@pawl/testing";
import { afterEach, describe, expect, it } from "vitest";
import * as z from "zod";
import { assertSoundLog, ofType } from "./support/invariants.ts";

const open: HttpApi[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((api) => api.close()));
});

/** A small model over HTTP, with the real client and a simulated API. */
interface Small {
  api: HttpApi;
  model: ModelClient;
}
type Provider = (script: readonly Reply[]) => Promise<Small>;

const chat =
  (id: string, forcedToolChoice?: boolean): Provider =>
  async (script) => {
    const api = await openaiApi({ script });
    open.push(api);
    const forced = forcedToolChoice === undefined ? {} : { forcedToolChoice };
    return { api, model: openai(id, { apiKey: "k", baseURL: api.url, ...forced }) };
  };
const messages =
  (id: string): Provider =>
  async (script) => {
    const api = await messagesApi({ script });
    open.push(api);
    return { api, model: claude(id, { apiKey: "k", baseURL: api.url }) };
  };

const providers: [string, Provider, boolean][] = [
  ["gpt-4o-mini, forced", chat("gpt-4o-mini"), true],
  ["gpt-5.4-mini, forced", chat("gpt-5.4-mini"), true],
  ["a local model that nobody forces", chat("qwen3"), false],
  ["claude-haiku-4-5, forced", messages("claude-haiku-4-5"), true],
  ["claude-opus-5-5, which refuses to be forced", messages("claude-opus-5-5"), false],
];

function worldOf(model: ModelClient, timeoutMs = 10_000) {
  const fetched: unknown[] = [];
  const sources = [
    dataSource({
      name: "workout_history",
      description: "Past workouts.",
      params: z.object({ days_back: z.int().min(1).max(365).default(14) }),
      fetch: ({ params }) => {
        fetched.push(params);
        return `${params.days_back} days`;
      },
    }),
    dataSource({ name: "category_goals", description: "Goals.", fetch: () => "Strength" }),
  ];
  const main = strictModel({ rules: () => ({ text: "Here you go." }) });
  const hook = initializer({ model, sources, timeoutMs, onError: () => {} });
  const trainer = agent({ name: "trainer", model: main, instructions: "Train.", hooks: [hook] });
  const store = memoryStore();
  const pawl = runtime({ agents: [trainer], store });
  return {
    fetched,
    say: async (input: string, sessionId?: string) => {
      const { stop, ...result } = await pawl.run("trainer", {
        userId: "u1",
        input,
        ...(sessionId && { sessionId }),
      }).result;
      expect([stop.type, main.rejected]).toEqual(["end_turn", []]);
      return result;
    },
    log: async (sessionId: string) => {
      const log = await Array.fromAsync(store.read(sessionId));
      assertSoundLog(log);
      return log;
    },
  };
}

const own = (log: readonly StoredEvent[], type: string) => log.filter((event) => event.type === type);
const call = (...append_knowledge: object[]): Reply => {
  const input = { reasoning: "A workout needs them.", append_knowledge, use_existing: [] };
  return { tools: [{ name: "select_knowledge", input: input as never }] };
};
const wish = (source: string, reason = "not_in_context", days_back: number | null = null) => ({
  source,
  reason,
  days_back,
});

describe.each(providers)("an initializer played by %s", (_title, provider, isForced) => {
  it("I1 I2 chooses with structured output that the API takes, and what it chooses is loaded", async () => {
    const script = [
      call(wish("workout_history"), wish("category_goals")),
      call(wish("workout_history", "expand_range", 60)),
    ];
    const { api, model } = await provider(script);
    const world = worldOf(model);
    const { sessionId } = await world.say("A chest workout");
    await world.say("And how was this month?", sessionId);
    const log = await world.log(sessionId);
    expect(api.rejected).toEqual([]);
    expect(ofType(log, "knowledge").map(({ data }) => data)).toEqual([
      { source: "workout_history", data: "14 days", params: { days_back: 14 } },
      { source: "category_goals", data: "Strength", params: {} },
      { source: "workout_history", data: "60 days", params: { days_back: 60 } },
    ]);
    const [body, second] = api.requests.map(({ body }) => JSON.stringify(body));
    expect(body).toContain('"strict":true');
    expect(body?.includes('"tool_choice"')).toBe(isForced);
    expect(second).toContain('workout_history {\\"days_back\\":14}');
    const [selection] = own(log, "knowledge.selection").map(({ data }) => data);
    expect(selection).toMatchObject({ model: model.id, reasoning: "A workout needs them." });
    const [spending] = ofType(log, "spending").map(({ data }) => data);
    expect(spending?.tokens.total).toBeGreaterThan(100);
  });

  it("I1 may answer in words instead of a call, as JSON", async () => {
    const input = (call(wish("category_goals")).tools?.[0]?.input ?? {}) as object;
    const { model } = await provider([{ text: `Here it is:\n${JSON.stringify(input, null, 2)}` }]);
    const world = worldOf(model);
    const { sessionId } = await world.say("Hi");
    expect(ofType(await world.log(sessionId), "knowledge")).toHaveLength(1);
  });

  it.each<[string, Reply, string]>([
    ["is overloaded", { fault: { status: 529, type: "overloaded_error" } }, "model_error"],
    ["breaks off", { ...call(wish("category_goals")), fault: { cut: 4 } }, "model_error"],
    ["falls silent", { ...call(wish("category_goals")), fault: { stall: 3 } }, "timed_out"],
    ["answers half a call", { ...call(wish("category_goals")), clip: 30 }, "invalid_answer"],
    ["answers with small talk", { text: "Hello!" }, "invalid_answer"],
    ["refuses", { text: "No.", stop: "refusal" }, "refused"],
  ])("I3 the agent answers when it %s", async (_fault, reply, code) => {
    const { model } = await provider([reply]);
    const world = worldOf(model, code === "timed_out" ? 200 : 10_000);
    const { sessionId, text } = await world.say("Hi");
    expect(text).toBe("Here you go.");
    const log = await world.log(sessionId);
    expect(own(log, "knowledge.failed").map(({ data }) => (data as { code: string }).code)).toEqual([code]);
    expect(ofType(log, "knowledge")).toEqual([]);
  });

  it("I3 the agent answers when the small model's server is down", async () => {
    const { api, model } = await provider([]);
    await api.close();
    const world = worldOf(model);
    const { sessionId } = await world.say("Hi");
    expect(own(await world.log(sessionId), "knowledge.failed")).toHaveLength(1);
  });

  it("I1 I3 chooses in a second attempt, behind a retry and a watchdog, and drops unknown sources", async () => {
    const { model } = await provider([
      { fault: { status: 503 } },
      call(wish("passwords"), wish("category_goals")),
    ]);
    const world = worldOf(withRetry(withIdleWatchdog(model), { jitter: 0, sleep: async () => {} }));
    const { sessionId } = await world.say("Hi");
    const log = await world.log(sessionId);
    expect(ofType(log, "knowledge").map(({ data }) => data.source)).toEqual(["category_goals"]);
    expect(own(log, "knowledge.selection")[0]?.data).toMatchObject({
      dropped: [{ source: "passwords", why: "unknown_source" }],
    });
  });
});
