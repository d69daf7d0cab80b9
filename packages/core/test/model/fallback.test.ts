import { type Reply, scriptedModel } from "@pawl/testing";
import { describe, expect, it } from "vitest";
import { withCircuitBreaker, withFallback, withRetry } from "../../src/index.ts";
import { busy, deafModel, failuresIn, read, testClock, textOf } from "../support/calls.ts";

const pricing = { input: 1, output: 1, cacheRead: 1, cacheWrite5m: 1, cacheWrite1h: 1 };
const named = (id: string, ...script: Reply[]) => scriptedModel(script, { id });

describe("withFallback", () => {
  it.each<[string, Reply]>([
    ["an overload", busy],
    ["a model that is not found", { fault: { status: 404 } }],
    ["a rate limit", { fault: { status: 429, retryAfter: 60 } }],
    ["an overload in the stream", { text: "Hello", fault: { midStream: "overloaded" } }],
    ["a lost connection", { text: "Hello", fault: { cut: 4 } }],
  ])("L12 asks the next model after %s, at once, and says so", async (_title, failing) => {
    const large = named("large", failing);
    const small = scriptedModel([{ text: "Small." }], { id: "small", pricing });
    const { events, error } = await read(withFallback(large, small));
    expect(error).toBeUndefined();
    expect(textOf(events)).toBe("Small.");
    expect(failuresIn(events)).toMatchObject([{ model: "small", retry_in_ms: 0, pricing }]);
    expect(small.requests).toEqual(large.requests);
  });

  it.each<[string, Reply]>([
    ["400", { fault: { status: 400 } }],
    ["401", { fault: { status: 401 } }],
    ["a spend limit", { fault: { status: 429, errorCode: "enforced_spend_limit_reached" } }],
  ])("L12 does not ask another model after %s", async (_title, failing) => {
    const small = named("small", { text: "Small." });
    const { events, error } = await read(withFallback(named("large", failing), small));
    expect(error?.code).toBe("model_error");
    expect({ events, asked: small.requests }).toEqual({ events: [], asked: [] });
  });

  it("goes from model to model, throws the last one's failure, and begins with the first one next time", async () => {
    const last: Reply = { fault: { status: 500, message: "the last one" } };
    const models = [
      named("a", busy, { text: "Back." }),
      named("b", { fault: { cut: 0 } }),
      named("c", last),
    ] as const;
    const model = withFallback(...models);
    const { events, error } = await read(model);
    expect(failuresIn(events).map((event) => event.model)).toEqual(["b", "c"]);
    expect(error?.message).toBe("the last one");
    expect(textOf((await read(model)).events)).toBe("Back.");
    expect(model.id).toBe("a");
  });

  it("lets each model try again before the next one is asked", async () => {
    const clock = testClock({ hurry: true });
    const large = withRetry(named("large", busy, busy), { retries: 1, sleep: clock.sleep });
    const small = withRetry(named("small", busy, { text: "Small." }), { retries: 1, sleep: clock.sleep });
    const { events } = await read(withFallback(large, small));
    expect(failuresIn(events).map((event) => event.model)).toEqual(["large", "small", "small"]);
    expect(textOf(events)).toBe("Small.");
  });

  it("L12 counts attempts that failed in an earlier process for the first model only", async () => {
    const clock = testClock({ hurry: true });
    const large = withRetry(named("large", busy, busy), { retries: 1, sleep: clock.sleep });
    const small = withRetry(named("small", busy, { text: "Small." }), { retries: 1, sleep: clock.sleep });
    const { events } = await read(withFallback(large, small), { failedAttempts: 1 });
    expect(failuresIn(events).map((event) => event.model)).toEqual(["small", "small"]);
    expect(textOf(events)).toBe("Small.");
  });

  it("asks the next model when the circuit of the first one is open, without waiting", async () => {
    const clock = testClock({ hurry: true });
    const large = named("large", busy);
    const small = named("small", { text: "One." }, { text: "Two." });
    const guarded = withRetry(withCircuitBreaker(large, { failures: 1, now: clock.now }), {
      sleep: clock.sleep,
    });
    const model = withFallback(guarded, small);
    expect(textOf((await read(model)).events)).toBe("One.");
    const waited = [...clock.waits];
    const { events } = await read(model);
    expect(failuresIn(events)).toMatchObject([{ error: { type: "circuit_open" }, model: "small" }]);
    expect(textOf(events)).toBe("Two.");
    expect({ asked: large.requests.length, waits: clock.waits }).toEqual({ asked: 1, waits: waited });
  });

  it("L12 asks the next model when an overloaded one forbids retries, or its stream ends without an error", async () => {
    for (const failure of [{ retryable: false, status: 529 }, undefined]) {
      const { events } = await read(withFallback(deafModel(failure), named("small", { text: "Small." })));
      expect(textOf(events)).toBe("Small.");
    }
  });

  it("L9 asks no other model after an abort", async () => {
    const stop = new AbortController();
    const small = named("small", { text: "Small." });
    const large = deafModel({ retryable: true, status: 529 }, () => stop.abort());
    const { events } = await read(withFallback(large, small), { signal: stop.signal });
    expect({ events, asked: small.requests }).toEqual({ events: [{ type: "ping" }], asked: [] });
  });
});
