import { type Reply, scriptedModel } from "@pawl/testing";
import { beforeEach, describe, expect, it } from "vitest";
import { expectPrinted } from "../../../../../test/support/printed.ts";
import { toMessages } from "../../../src/context/message-cache.ts";
import { applyEvent } from "../../../src/fold/apply.ts";
import {
  type EventData,
  type Hook,
  type ModelClient,
  memoryStore,
  PawlError,
  promptTokens,
  withFallback,
  withRetry,
} from "../../../src/index.ts";
import { newReply, takeEvent } from "../../../src/model/reply.ts";
import type { ModelEvent } from "../../../src/model.ts";
import { newSessionState } from "../../../src/session/new-state.ts";
import { testClock } from "../../support/calls.ts";
import { allowFailedHooks } from "../../support/hooks.ts";
import { pricing } from "../../support/pricing.ts";
import { collect, setup, types } from "../../support/setup.ts";
import { beforeAppend, failingStore, has } from "../../support/stores.ts";
import { echoTool } from "../../support/tools.ts";

beforeEach(allowFailedHooks);

const busy: Reply = { fault: { status: 529, retryAfter: 2 } };
const cut: Reply = { text: "Half an answer", fault: { cut: 6 } };
const retried = (model: ModelClient) =>
  withRetry(model, { jitter: 0, sleep: testClock({ hurry: true }).sleep });
const call = { name: "echo", input: { text: "a" } };

describe("a turn whose attempt fails and is made again", () => {
  it("L12 logs what failed, what it cost, and that the same prompt is sent again; keeps no text of it", async () => {
    const { say, log, of, store, model } = setup([cut, busy, { text: "Whole." }], {}, {}, retried);
    const { sessionId, stop, text, turns } = await say("Go");
    expect({ stop: stop.type, text, turns }).toEqual({ stop: "end_turn", text: "Whole.", turns: 1 });
    const events = await log(sessionId);
    expect(types(events).slice(3)).toEqual([
      "llm_request",
      "llm_response",
      "error",
      "llm_request",
      "error",
      "llm_request",
      "assistant_message",
      "llm_response",
      "run_ended",
    ]);
    const requests = await of(sessionId, "llm_request");
    const [first, second, third] = requests;
    expect(second?.data).toEqual({ ...first?.data, retry_of: first?.seq });
    expect(third?.data).toEqual({ ...first?.data, retry_of: second?.seq });
    expect((await of(sessionId, "llm_response")).map(({ data }) => data.attempt)).toEqual([
      first?.seq,
      third?.seq,
    ]);
    expect((await of(sessionId, "assistant_message")).map(({ data }) => data.attempt)).toEqual([third?.seq]);
    const same = { will_retry: true, model: "claude-sonnet-5-5", retryable: true };
    expect((await of(sessionId, "error")).map(({ data }) => data)).toMatchObject([
      { code: "model_error", stack: null, context: { ...same, attempt: first?.seq, retry_in_ms: 500 } },
      {
        code: "model_error",
        message: "Overloaded",
        context: { ...same, attempt: second?.seq, status: 529, retry_in_ms: 2000 },
      },
    ]);
    expect((await store.sessions.get(sessionId))?.status).toBe("active");
    expect(model.rejected).toEqual([]);
  });

  it("charges what each attempt has used, and nothing for one that did not begin to answer", async () => {
    const { say, of } = setup([cut, busy, busy, { text: "Whole." }], {}, {}, retried);
    const { sessionId, usage } = await say("Go");
    const counted = (await of(sessionId, "llm_response")).map(({ data }) => data.tokens);
    expect(counted).toHaveLength(2);
    expect(counted[0]?.completion).toBeGreaterThan(0);
    expect(promptTokens(usage) + usage.outputTokens).toBe(counted.reduce((sum, { total }) => sum + total, 0));
  });

  it("L12 tells the hooks of every attempt that failed, also of the last one", async () => {
    expectPrinted("pawl: The model's answer was cut off.");
    const told: unknown[] = [];
    const hooks: Hook[] = [{ name: "watch", onError: ({ context }) => void told.push(context) }];
    const again = (model: ModelClient) =>
      withRetry(model, { retries: 1, sleep: testClock({ hurry: true }).sleep });
    const { say, of, store } = setup([cut, cut], { hooks }, {}, again);
    const { sessionId, stop, text } = await say("Go");
    expect(told).toMatchObject([{ will_retry: true }, { retryable: true }]);
    expect(told[1]).not.toHaveProperty("will_retry");
    // The last failure is what a failure without retries is.
    expect({ stop: stop.type, text }).toEqual({ stop: "error", text: expect.stringMatching(/^Half/) });
    expect(await of(sessionId, "assistant_message")).toHaveLength(1);
    expect((await store.sessions.get(sessionId))?.status).toBe("error");
  });

  it("reports a hook that throws and continues with the next attempt", async () => {
    const hooks: Hook[] = [{ name: "broken", onError: () => Promise.reject(new Error("hook down")) }];
    const { say, of } = setup([busy, { text: "Whole." }], { hooks }, {}, retried);
    const { sessionId, text } = await say("Go");
    expect(text).toBe("Whole.");
    expect((await of(sessionId, "error")).map(({ data }) => data.code)).toEqual([
      "model_error",
      "hook_failed",
    ]);
  });

  it("L3 L16 counts no turn for a retry, and ends a turn once", async () => {
    const script = [{ text: "One.", tools: [call] }, cut, busy, { text: "Two." }];
    const { pawl, of } = setup(script, { tools: [echoTool], limits: { turns: 2 } }, {}, retried);
    const run = pawl.run("tester", { userId: "u1", input: "Go" });
    const events = await collect(run);
    const { stop, turns, sessionId, text } = await run.result;
    expect({ stop: stop.type, turns, text }).toEqual({ stop: "end_turn", turns: 2, text: "One.\n\nTwo." });
    expect(events.filter(({ type }) => type === "turn_ended")).toHaveLength(1);
    expect((await of(sessionId, "llm_request")).map(({ data }) => data.turn)).toEqual([1, 2, 2, 2]);
  });

  it("C1 C12 sends the same prompt again, whatever has been stored since, and rebuilds it from the log", async () => {
    const store = memoryStore();
    const note = async () => {
      const id = (await store.sessions.list({ userId: "u1" }))[0]?.id ?? "";
      const event = { type: "note" as const, data: { text: "It is late." } };
      await store.append(id, [event], { appendId: crypto.randomUUID() });
    };
    const hooks: Hook[] = [{ name: "meanwhile", onError: note }];
    const script = [{ tools: [call] }, cut, busy, { tools: [call] }, { text: "Done." }];
    const { say, log, model } = setup(script, { tools: [echoTool], hooks }, { store }, retried);
    const { sessionId, stop } = await say("Go");
    expect({ stop: stop.type, rejected: model.rejected }).toEqual({ stop: "end_turn", rejected: [] });
    expect(model.requests[2]).toEqual(model.requests[1]);
    expect(model.requests[3]).toEqual(model.requests[1]);
    expect(JSON.stringify(model.requests[3])).not.toContain("It is late.");
    expect(JSON.stringify(model.requests[4]).split("It is late.")).toHaveLength(3);
    const state = newSessionState(sessionId);
    const rebuilt: unknown[] = [];
    for (const event of await log(sessionId)) {
      applyEvent(state, event);
      if (event.type === "llm_request")
        rebuilt.push(structuredClone(toMessages(state.entries, state.kept.messages)));
    }
    const sent = model.requests.map(({ messages }) =>
      JSON.parse(JSON.stringify(messages, (key, part) => (key === "cache_control" ? undefined : part))),
    );
    expect(rebuilt).toEqual(sent);
  });

  it("L12 O1 says which model was asked instead, and charges that one's prices", async () => {
    const other = scriptedModel([{ text: "Whole.", usage: { input_tokens: 100, output_tokens: 10 } }], {
      id: "other",
      pricing,
    });
    const { say, of } = setup([{ fault: { status: 404 } }], {}, {}, (model) => withFallback(model, other));
    const { sessionId, costUsd } = await say("Go");
    expect((await of(sessionId, "llm_request")).map(({ data }) => data.model)).toEqual([
      "claude-sonnet-5-5",
      "other",
    ]);
    expect((await of(sessionId, "error"))[0]?.data.context).toMatchObject({ model: "claude-sonnet-5-5" });
    expect(costUsd).toBe((100 * 2 + 10 * 10) / 1e6);
  });

  it("L9 can be stopped while it waits, and leaves the conversation valid", async () => {
    const stop = new AbortController();
    const clock = testClock();
    const again = (model: ModelClient) => withRetry(model, { sleep: clock.sleep });
    const { pawl, say, of, model } = setup([cut, { text: "Here." }], {}, {}, again);
    const run = pawl.run("tester", { userId: "u1", input: "Go", signal: stop.signal });
    run.on("error", ({ data }: { data: EventData["error"] }) => data.code === "model_error" && stop.abort());
    const { stop: reason, sessionId, text } = await run.result;
    expect({ reason: reason.type, text }).toEqual({ reason: "aborted", text: "" });
    expect(clock.asleep).toBe(0);
    expect(await of(sessionId, "error")).toHaveLength(1);
    expect((await say("Go on", { sessionId })).text).toBe("Here.");
    expect(model.rejected).toEqual([]);
  });

  it("takes a store that fails between two attempts for what it is", async () => {
    const base = memoryStore();
    const store = failingStore(base, (events) => has(events, "error"));
    const { pawl, say } = setup([cut, cut], {}, { store }, retried);
    const failed = { code: "store_unavailable" };
    await expect(say("Go")).rejects.toMatchObject(failed);
    // The iterator throws after the stored events, and does not wait for events that nobody will store.
    const seen: string[] = [];
    const read = async () => {
      for await (const { type } of pawl.run("tester", { userId: "u1", input: "Go" })) seen.push(type);
    };
    await expect(read()).rejects.toMatchObject(failed);
    expect(seen).toContain("llm_request");
  });

  it("takes a log that refuses between two attempts for an error of the program, not of the model", async () => {
    expectPrinted("pawl: No.");
    const base = memoryStore();
    let refused = 0;
    const store = beforeAppend(base, (events) => {
      if (has(events, "error") && refused === 0) {
        refused += 1;
        throw new PawlError("invalid_input", "No.");
      }
    });
    const { say, of } = setup([cut, { text: "Whole." }], {}, { store }, retried);
    const { sessionId, stop } = await say("Go");
    expect(stop.type).toBe("error");
    expect((await of(sessionId, "error")).map(({ data }) => data.code)).toEqual(["internal"]);
  });
});

it("O1 a total that the end of an answer does not say, or says as null, is what its beginning said", () => {
  const answer = newReply();
  const said = { input_tokens: 7, cache_read_input_tokens: 3, output_tokens: 1 };
  const start = { id: "m1", model: "m", usage: { ...said } };
  takeEvent(answer, { type: "message_start", message: start } as ModelEvent);
  const usage = { input_tokens: null, cache_read_input_tokens: undefined, output_tokens: 0 };
  takeEvent(answer, { type: "message_delta", delta: {}, usage } as unknown as ModelEvent);
  expect(answer.usage).toEqual({ ...said, output_tokens: 0 });
  expect(start.usage).toEqual(said);
});

it("O1 ignores a count named __proto__ in what an API reports", () => {
  const answer = newReply();
  const usage = JSON.parse('{"output_tokens":1,"__proto__":{"input_tokens":9}}');
  takeEvent(answer, { type: "message_delta", delta: {}, usage } as unknown as ModelEvent);
  expect(Object.getPrototypeOf(answer.usage)).toBe(Object.prototype);
});
