import { claude } from "@pawl/anthropic";
import {
  agent,
  type ModelClient,
  memoryStore,
  type RunResult,
  runtime,
  withCircuitBreaker,
  withFallback,
  withIdleWatchdog,
  withRetry,
} from "@pawl/core";
import type { Sleep } from "@pawl/core/model";
import { type MessagesApi, messagesApi, type Reply } from "@pawl/testing";
import { afterEach, describe, expect, it } from "vitest";
import { assertExtends, assertSoundLog, ofType, type SeenRequest } from "./support/invariants.ts";
import { expectPrinted } from "./support/printed.ts";

const fine: Reply = { text: "Fine." };
let api: MessagesApi | undefined;
afterEach(() => api?.close());

/**
 * Has a run with the real client over HTTP. `waits` are the pauses before retries; they take no time here.
 */
async function ask(script: readonly Reply[], around?: (model: ModelClient) => ModelClient) {
  api = await messagesApi({ script });
  const { url, requests, rejected } = api;
  const waits: number[] = [];
  const sleep: Sleep = async (ms) => void waits.push(ms);
  const model = claude("claude-sonnet-5-5", { apiKey: "key", baseURL: url });
  const store = memoryStore();
  const tester = agent({
    name: "tester",
    instructions: "You are a test.",
    model: around?.(model) ?? withRetry(withIdleWatchdog(model), { jitter: 0, sleep }),
  });
  const pawl = runtime({ agents: [tester], store });
  const go = (signal?: AbortSignal) =>
    pawl.run("tester", { userId: "u1", input: "Go", ...(signal !== undefined && { signal }) });
  const check = async ({ sessionId }: RunResult) => {
    const log = await Array.fromAsync(store.read(sessionId));
    assertSoundLog(log);
    assertExtends(requests.map(({ body }) => body as SeenRequest));
    expect(rejected).toEqual([]);
    return log;
  };
  return { go, waits, requests, check, pawl };
}

describe("failures of the model, over HTTP", () => {
  it.each<[string, Reply, number, object]>([
    ["529", { fault: { status: 529 } }, 500, { status: 529, type: "overloaded_error" }],
    ["500", { fault: { status: 500 } }, 500, { status: 500, type: "api_error" }],
    [
      "429 with retry-after",
      { fault: { status: 429, retryAfter: 7 } },
      7000,
      { status: 429, retryAfterMs: 7000 },
    ],
    [
      "an overload in the stream",
      { text: "Half an answer", fault: { midStream: "overloaded", afterEvents: 5 } },
      500,
      { type: "overloaded_error" },
    ],
    ["a connection that is lost", { text: "Half an answer", fault: { cut: 5 } }, 500, {}],
    ["a stream that is cut", { text: "Half an answer", fault: { cut: 5, end: true } }, 500, {}],
    ["a connection that is lost at once", { fault: { cut: 0 } }, 500, {}],
  ])("L12 answers after %s", async (_title, failing, waitMs, failure) => {
    const { go, waits, requests, check, pawl } = await ask([failing, fine]);
    const result = await go().result;
    expect(result).toMatchObject({ stop: { type: "end_turn" }, text: "Fine.", turns: 1 });
    expect(waits).toEqual([waitMs]);
    expect(requests[1]?.body).toEqual(requests[0]?.body);
    const log = await check(result);
    expect(ofType(log, "error").map(({ data }) => data.context)).toMatchObject([
      { ...failure, retryable: true, will_retry: true, retry_in_ms: waitMs },
    ]);
    const { messages } = await pawl.view(result.sessionId, { userId: "u1" });
    expect(messages.at(-1)?.text).toBe("Fine.");
  });

  it("L12 gives up a stalled stream and answers in the next attempt", async () => {
    let time = 0;
    let wake: (() => void) | undefined;
    let retried = false;
    const { go, check } = await ask([{ text: "Half an answer", fault: { stall: 4 } }, fine], (model) => {
      const watched = withIdleWatchdog(model, {
        now: () => time,
        sleep: (_ms, signal) =>
          new Promise((resolve, reject) => {
            wake = resolve;
            signal.addEventListener("abort", () => reject(signal.reason));
          }),
      });
      return withRetry(watched, {
        sleep: async () => {
          retried = true;
        },
      });
    });
    const run = go();
    const letTimePass = (): void => {
      if (retried) return;
      time += 60_000;
      wake?.();
      setImmediate(letTimePass);
    };
    let begun = false;
    run.on("text_delta", () => {
      if (!begun) letTimePass();
      begun = true;
    });
    const result = await run.result;
    expect(result).toMatchObject({ stop: { type: "end_turn" }, text: "Fine." });
    const [error] = ofType(await check(result), "error");
    expect(error?.data.context).toMatchObject({ type: "idle_timeout", will_retry: true });
  });

  it.each<[string, Reply, string]>([
    ["400", { fault: { status: 400 } }, "invalid_request_error"],
    ["401", { fault: { status: 401 } }, "authentication_error. Check ANTHROPIC_API_KEY"],
    ["403", { fault: { status: 403 } }, "permission_error"],
    [
      "a tier's spend limit",
      { fault: { status: 429, errorCode: "enforced_spend_limit_reached" } },
      "This request would exceed your organization's rate limit.",
    ],
    [
      "one's own spend limit",
      { fault: { status: 400, message: "You have reached your specified API usage limits. Later." } },
      "You have reached your specified API usage limits.",
    ],
  ])("L12 never asks again after %s", async (_title, failing, printed) => {
    expectPrinted(`pawl: ${printed}`);
    const { go, waits, requests, check } = await ask([failing, fine]);
    const result = await go().result;
    expect(result).toMatchObject({ stop: { type: "error" }, text: "" });
    expect({ waits, asked: requests.length }).toEqual({ waits: [], asked: 1 });
    const [error] = ofType(await check(result), "error");
    expect(error?.data.context).not.toHaveProperty("will_retry");
  });

  it("L9 L12 stops at once while it waits for the next attempt", async () => {
    const stop = new AbortController();
    const { go, requests, check } = await ask([{ fault: { status: 429, retryAfter: 60 } }, fine], (model) =>
      withRetry(model),
    );
    const run = go(stop.signal);
    run.on("error", () => stop.abort());
    const result = await run.result;
    expect(result.stop.type).toBe("aborted");
    expect(requests).toHaveLength(1);
    expect(ofType(await check(result), "error")).toHaveLength(1);
  });

  it("L12 tries again, opens the circuit, and asks the other model from then on", async () => {
    const busy: Reply = { fault: { status: 529 } };
    const { go, requests, check } = await ask([busy, busy, fine, fine], (model) => {
      const sleep: Sleep = async () => {};
      const other = claude("claude-haiku-5-5", { apiKey: "key", baseURL: api?.url ?? "" });
      return withFallback(
        withRetry(withCircuitBreaker(withIdleWatchdog(model), { failures: 2 }), { sleep }),
        withRetry(withIdleWatchdog(other), { sleep }),
      );
    });
    const first = await go().result;
    expect(first.text).toBe("Fine.");
    const second = await go().result;
    expect(second.text).toBe("Fine.");
    const asked = requests.map(({ body }) => (body as { model: string }).model);
    const [large, small] = ["claude-sonnet-5-5", "claude-haiku-5-5"];
    expect(asked).toEqual([large, large, small, small]);
    const log = await check(first);
    expect(ofType(log, "llm_request").map(({ data }) => data.model)).toEqual([large, large, large, small]);
    expect(ofType(log, "llm_response")[0]?.data.raw_response.model).toBe(small);
    expect(ofType(log, "error").map(({ data }) => (data.context as { type: string }).type)).toEqual([
      "overloaded_error",
      "overloaded_error",
      "circuit_open",
    ]);
  });
});
