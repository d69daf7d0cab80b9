import { type Reply, scriptedModel } from "@pawl/testing";
import { describe, expect, it } from "vitest";
import { type CircuitBreakerOptions, withCircuitBreaker, withRetry } from "../../src/index.ts";
import { busy, deafModel, fine, hi, read, testClock, textOf } from "../support/calls.ts";

const wrong: Reply = { fault: { status: 400 } };

function guarded(options: CircuitBreakerOptions = {}) {
  const clock = testClock();
  const world = { reply: fine };
  const inner = scriptedModel(() => world.reply);
  const model = withCircuitBreaker(inner, { failures: 2, coolDownMs: 1000, now: clock.now, ...options });
  /** `fine`, or why not. */
  const call = async (reply: Reply = fine) => {
    world.reply = reply;
    const { events, error } = await read(model);
    return error === undefined ? textOf(events) : (error.details.type ?? error.message);
  };
  return { call, clock, inner, model, world };
}

describe("withCircuitBreaker", () => {
  it("L12 opens after so many failures in a row, and then fails at once and says for how long", async () => {
    const { call, clock, inner, model } = guarded();
    expect([await call(busy), await call(busy)]).toEqual(["overloaded_error", "overloaded_error"]);
    await clock.pass(400);
    const { error, events } = await read(model);
    expect(error).toMatchObject({
      code: "model_error",
      details: { retryable: true, type: "circuit_open", retryAfterMs: 600 },
    });
    expect({ events, asked: inner.requests.length }).toEqual({ events: [], asked: 2 });
  });

  it("counts failures in a row only", async () => {
    const { call } = guarded();
    for (const _ of [1, 2, 3]) {
      expect(await call(busy)).toBe("overloaded_error");
      expect(await call()).toBe("Fine.");
    }
  });

  it("counts failures in the stream, and streams that end without message_stop", async () => {
    const { call } = guarded();
    await call({ text: "Hello", fault: { midStream: "overloaded" } });
    await call({ text: "Hello", fault: { cut: 3 } });
    expect(await call()).toBe("circuit_open");
    const silent = withCircuitBreaker({ id: "silent", async *stream() {} }, { failures: 1 });
    expect((await read(silent)).error?.details.retryable).toBe(true);
    expect((await read(silent)).error?.details.type).toBe("circuit_open");
  });

  it("never counts a 400, neither for the model nor against it", async () => {
    const { call } = guarded();
    for (const _ of [1, 2, 3, 4]) expect(await call(wrong)).toBe("invalid_request_error");
    await call(busy);
    await call(wrong);
    await call(busy);
    expect(await call()).toBe("circuit_open");
  });

  it.each<[string, Reply]>([
    ["401", { fault: { status: 401 } }],
    ["402", { fault: { status: 402 } }],
    ["403", { fault: { status: 403 } }],
    ["a lost access in the stream", { text: "Hello", fault: { midStream: "authentication_error" } }],
    ["a tier's spend limit", { fault: { status: 429, errorCode: "enforced_spend_limit_reached" } }],
    [
      "one's own spend limit",
      { fault: { status: 400, message: "You have reached your specified API usage limits." } },
    ],
  ])("opens at once after %s", async (_title, failing) => {
    const { call } = guarded({ failures: 5 });
    await call(failing);
    expect(await call()).toBe("circuit_open");
  });

  it("lets exactly one call through when it has cooled down, and closes when that one succeeds", async () => {
    const { call, clock, inner, model, world } = guarded();
    await call(busy);
    await call(busy);
    await clock.pass(1000);
    world.reply = fine;
    const trial = model.stream(hi, { signal: new AbortController().signal })[Symbol.asyncIterator]();
    await trial.next();
    expect(await call()).toBe("circuit_open");
    expect(inner.requests).toHaveLength(3);
    while ((await trial.next()).done !== true);
    expect([await call(busy), await call()]).toEqual(["overloaded_error", "Fine."]);
  });

  it("opens anew when the trial fails, for the whole time", async () => {
    const { call, clock } = guarded({ failures: 3 });
    for (const _ of [1, 2, 3]) await call(busy);
    await clock.pass(1000);
    expect(await call(busy)).toBe("overloaded_error");
    await clock.pass(999);
    expect(await call()).toBe("circuit_open");
    await clock.pass(1);
    expect(await call()).toBe("Fine.");
  });

  it("learns nothing from a trial that was stopped, or whose request was wrong: the next call is the trial", async () => {
    const { call, clock, model, world } = guarded();
    await call(busy);
    await call(busy);
    await clock.pass(1000);
    expect(await call(wrong)).toBe("invalid_request_error");
    world.reply = fine;
    const stop = new AbortController();
    for await (const _ of model.stream(hi, { signal: stop.signal })) break;
    stop.abort();
    await read(model, { signal: stop.signal });
    expect(await call(busy)).toBe("overloaded_error");
    expect(await call()).toBe("circuit_open");
  });

  it("learns nothing from calls that began before it opened", async () => {
    const { call, clock, model, world } = guarded();
    const begin = async (reply: Reply) => {
      world.reply = reply;
      const events = model.stream(hi, { signal: new AbortController().signal })[Symbol.asyncIterator]();
      await events.next();
      return async () => {
        try {
          while ((await events.next()).done !== true);
        } catch {}
      };
    };
    const goodOne = await begin(fine);
    const badOne = await begin({ text: "Hello", fault: { cut: 2 } });
    await call(busy);
    await call(busy);
    await goodOne();
    expect(await call()).toBe("circuit_open");
    await clock.pass(999);
    await badOne();
    await clock.pass(1);
    expect(await call()).toBe("Fine.");
  });

  it("does not count an abort", async () => {
    const { call, model, world } = guarded({ failures: 1 });
    world.reply = { text: "Hello", fault: { stall: 2 } };
    const stop = new AbortController();
    const reading = read(model, { signal: stop.signal });
    stop.abort(new Error("enough"));
    expect((await reading).error?.message).toBe("enough");
    expect(await call()).toBe("Fine.");
    const left = new AbortController();
    const deaf = withCircuitBreaker(
      deafModel({ retryable: true, status: 529 }, () => left.abort()),
      { failures: 1 },
    );
    for (const _ of [1, 2])
      expect((await read(deaf, { signal: left.signal })).error?.details.status).toBe(529);
  });

  it("ends the retries around it as soon as it opens", async () => {
    const { inner, model, world } = guarded();
    world.reply = busy;
    const retried = withRetry(model, { retries: 5, sleep: testClock({ hurry: true }).sleep });
    expect((await read(retried)).error?.details.type).toBe("circuit_open");
    expect(inner.requests).toHaveLength(2);
  });
});
