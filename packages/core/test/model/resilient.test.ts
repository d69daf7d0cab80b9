import { type Reply, scriptedModel } from "@pawl/testing";
import { describe, expect, it } from "vitest";
import { settled } from "../../../../test/support/settled.ts";
import { type ModelClient, PawlError, type ResilientOptions, resilient } from "../../src/index.ts";
import { deafModel, failuresIn, read, testClock, textOf } from "../support/calls.ts";
import { setup } from "../support/setup.ts";

const busy: Reply = { fault: { status: 529 } };
const fine: Reply = { text: "Fine." };
const spare: Reply = { text: "The fallback." };
const named = (id: string, script: (() => Reply) | readonly Reply[]) => scriptedModel(script, { id });

/** Options with clocks that cost no real time; `retries` as given. */
function hurried(more: ResilientOptions = {}) {
  const clock = testClock({ hurry: true });
  const { now, sleep } = clock;
  const options: ResilientOptions = {
    ...more,
    retry: { jitter: 0, sleep, ...more.retry },
    circuitBreaker: { now, ...more.circuitBreaker },
  };
  return { clock, options };
}

describe("resilient", () => {
  it("L12 retries a failure that may pass", async () => {
    const inner = named("large", [busy, fine]);
    const { clock, options } = hurried();
    expect(textOf((await read(resilient(inner, options))).events)).toBe("Fine.");
    expect({ asked: inner.requests.length, waits: clock.waits }).toEqual({ asked: 2, waits: [500] });
  });

  it("L12 cuts a silent stream and retries it", async () => {
    const inner = named("large", [{ text: "Hello", fault: { stall: 4 } }, fine]);
    const watchdog = testClock();
    const { now, sleep } = watchdog;
    const { options } = hurried({ idleWatchdog: { idleMs: 100, now, sleep } });
    const reading = read(resilient(inner, options));
    while (inner.requests.length === 0 || watchdog.asleep === 0) await settled();
    await settled();
    await watchdog.pass(100);
    const { events } = await reading;
    expect(textOf(events)).toBe("Fine.");
    expect(failuresIn(events)).toMatchObject([{ error: { type: "idle_timeout" }, model: "large" }]);
  });

  it("L12 counts a stream that was cut with the breaker", async () => {
    const inner = named("large", () => ({ text: "Hello", fault: { stall: 2 } }));
    const watchdog = testClock();
    const { now, sleep } = watchdog;
    const { options } = hurried({
      idleWatchdog: { idleMs: 100, now, sleep },
      circuitBreaker: { failures: 1 },
    });
    const reading = read(resilient(inner, options));
    while (inner.requests.length === 0 || watchdog.asleep === 0) await settled();
    await settled();
    await watchdog.pass(100);
    expect((await reading).error?.details.type).toBe("circuit_open");
    expect(inner.requests).toHaveLength(1);
  });

  it("L12 asks the fallback once the retries have given up", async () => {
    const large = named("large", () => busy);
    const { options } = hurried({ fallback: named("small", [spare]), retry: { retries: 2 } });
    const { events } = await read(resilient(large, options));
    expect(textOf(events)).toBe("The fallback.");
    expect(failuresIn(events).map(({ model }) => model)).toEqual(["large", "large", "small"]);
  });

  it("L12 asks the fallback at once while the model's breaker is open", async () => {
    const large = named("large", () => busy);
    const { clock, options } = hurried({
      fallback: named("small", [spare, spare]),
      circuitBreaker: { failures: 1 },
    });
    const model = resilient(large, options);
    await read(model);
    const waited = clock.waits.length;
    const { events } = await read(model);
    expect(textOf(events)).toBe("The fallback.");
    expect(failuresIn(events)).toMatchObject([{ error: { type: "circuit_open" }, retry_in_ms: 0 }]);
    expect({ asked: large.requests.length, waits: clock.waits.length }).toEqual({ asked: 1, waits: waited });
  });

  it("L12 retries each fallback, in order, before it asks the next one", async () => {
    const second = named("second", [busy, busy]);
    const third = named("third", [busy, spare]);
    const { options } = hurried({ fallback: [second, third], retry: { retries: 1 } });
    const { events } = await read(resilient(named("first", [busy, busy]), options));
    expect(textOf(events)).toBe("The fallback.");
    const order = failuresIn(events).map(({ model }) => model);
    expect(order).toEqual(["first", "second", "second", "third", "third"]);
  });

  it("L12 gives each model a breaker of its own", async () => {
    const large = named("large", () => busy);
    const small = named("small", [spare]);
    const { options } = hurried({ fallback: small, circuitBreaker: { failures: 1 } });
    const model = resilient(large, options);
    expect(textOf((await read(model)).events)).toBe("The fallback.");
    expect(small.requests).toHaveLength(1);
  });

  it("L12 neither retries nor asks the fallback for a request that is wrong", async () => {
    const large = named("large", [{ fault: { status: 400 } }]);
    const small = named("small", [spare]);
    const { clock, options } = hurried({ fallback: small });
    const { error } = await read(resilient(large, options));
    expect(error?.details.status).toBe(400);
    expect({ waits: clock.waits, asked: small.requests.length }).toEqual({ waits: [], asked: 0 });
  });

  it("L9 neither retries nor asks the fallback after an abort", async () => {
    const stop = new AbortController();
    const large = deafModel({ retryable: true, status: 529 }, () => stop.abort(new Error("enough")));
    const small = named("small", [spare]);
    const { clock, options } = hurried({ fallback: small });
    await read(resilient(large, options), { signal: stop.signal });
    expect({ calls: large.calls, waits: clock.waits, asked: small.requests.length }).toEqual({
      calls: 1,
      waits: [],
      asked: 0,
    });
  });

  it("O1 charges each attempt to the model that was asked", async () => {
    const price = (output: number) => ({
      input: 0,
      output,
      cacheRead: 0,
      cacheWrite5m: 0,
      cacheWrite1h: 0,
    });
    const usage = { input_tokens: 10, output_tokens: 1_000 };
    const small = scriptedModel([{ ...spare, usage }], { id: "small", pricing: price(1) });
    const { options } = hurried({ fallback: small });
    // The large model fails before it answers, which costs nothing.
    const world = setup([{ fault: { status: 404 } }, { ...fine, usage }], {}, {}, (model) =>
      resilient({ ...model, id: "large", pricing: price(100) }, options),
    );
    const { sessionId, text } = await world.say("Go");
    expect(text).toBe("The fallback.");
    const cost = async () => (await world.store.sessions.get(sessionId))?.costUsd;
    expect(await cost()).toBeCloseTo(0.001, 6);
    expect((await world.say("Go on", { sessionId })).text).toBe("Fine.");
    expect(await cost()).toBeCloseTo(0.001 + 0.1, 6);
  });

  it("keeps the model's id and prices", () => {
    const pricing = { input: 1, output: 1, cacheRead: 1, cacheWrite5m: 1, cacheWrite1h: 1 };
    expect(resilient(scriptedModel([], { id: "m", pricing }))).toMatchObject({ id: "m", pricing });
  });
});

describe("resilient refuses what cannot work", () => {
  const model = scriptedModel([]);
  it.each<[string, unknown, RegExp]>([
    ["an unknown option, by its name", { retries: 3 }, /resilient\(\) has no option "retries"/],
    ["an unknown option in a group", { retry: { retry: 3 } }, /withRetry\(\) has no option "retry"/],
    [
      "a group that is no object",
      { idleWatchdog: 30_000 },
      /`idleWatchdog` of resilient\(\) must be an object; got a number/,
    ],
    [
      "a group that is null",
      { circuitBreaker: null },
      /`circuitBreaker` of resilient\(\) must be an object; got null/,
    ],
    ["a fallback that is no model", { fallback: {} }, /`fallback` of resilient\(\) must be a ModelClient/],
    [
      "a fallback that is null",
      { fallback: null },
      /`fallback` of resilient\(\) must be a ModelClient.* got null/,
    ],
    ["a number out of range", { retry: { retries: -1 } }, /retries of withRetry\(\) must be/],
  ])("%s", (_what, options, message) => {
    const make = () => resilient(model, options as ResilientOptions);
    expect(make).toThrow(PawlError);
    expect(make).toThrow(message);
  });

  it("a missing model", () => {
    expect(() => resilient(undefined as never)).toThrow(/must be a ModelClient.* got undefined/);
  });

  it("W5 without repeating a secret that was put in the wrong place", () => {
    const secret = "sk-ant-api03-abcdefgh";
    const wrong = [{ fallback: secret }, { fallback: [secret] }, { retry: secret }, { apiKey: secret }];
    for (const options of wrong) {
      try {
        resilient(model, options as never);
        expect.unreachable();
      } catch (error) {
        expect(PawlError.is(error, "config")).toBe(true);
        expect(String(error)).not.toContain(secret);
      }
    }
  });
});

it("W5 a failure that resilient() announces keeps its secrets out of the log", async () => {
  const secret = "sk-ant-api03-abcdefgh";
  const leaky: ModelClient = {
    id: "leaky",
    // biome-ignore lint/correctness/useYield: it fails before it answers
    async *stream() {
      const details = { retryable: true, status: 500 };
      throw new PawlError("model_error", `invalid x-api-key: ${secret}`, { details });
    },
  };
  const { options } = hurried({ fallback: scriptedModel([spare], { id: "small" }) });
  const world = setup([], {}, {}, () => resilient(leaky, options));
  const { sessionId, text } = await world.say("Go");
  expect(text).toBe("The fallback.");
  expect(JSON.stringify(await world.log(sessionId))).not.toContain(secret);
});
