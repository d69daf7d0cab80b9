import { getEventListeners } from "node:events";
import { type Reply, type StrictModel, scriptedModel, strictModel } from "@pawl/testing";
import { describe, expect, it } from "vitest";
import { settled } from "../../../../test/support/settled.ts";
import { type ModelClient, PawlError, type RetryOptions, withFallback, withRetry } from "../../src/index.ts";
import { busy, deafModel, failuresIn, fine, hi, read, testClock, textOf } from "../support/calls.ts";

function retrying(script: readonly Reply[], options: RetryOptions = {}) {
  const clock = testClock({ hurry: true });
  const strict: StrictModel = strictModel({ script });
  const { sleep, waits } = clock;
  return { model: withRetry(strict, { jitter: 0, sleep, ...options }), strict, waits, clock };
}

/** The bounds of a call that has so much time left, counted from now. */
function timeLeft(clock: { now(): number }, ms: number) {
  const end = clock.now() + ms;
  return { timeLeftMs: () => end - clock.now() };
}

describe("withRetry", () => {
  it.each<[string, Reply]>([
    ["529", busy],
    ["500", { fault: { status: 500 } }],
    ["429", { fault: { status: 429 } }],
    ["408", { fault: { status: 408, type: "timeout_error" } }],
    ["409", { fault: { status: 409 } }],
    ["an overload in the stream", { text: "Hello", fault: { midStream: "overloaded" } }],
    ["a lost connection", { text: "Hello", fault: { cut: 4 } }],
    ["an answer without a stop reason", { text: "Hello", stop: null }],
  ])("L12 tries again after %s, and the answer begins anew", async (_title, failing) => {
    const { model, strict } = retrying([failing, fine]);
    const { events, error } = await read(model);
    expect(error).toBeUndefined();
    expect(textOf(events)).toBe("Fine.");
    const [failed, ...more] = failuresIn(events);
    expect(more).toEqual([]);
    expect(failed).toMatchObject({
      error: { retryable: true, message: expect.any(String) },
      retry_in_ms: 500,
      model: "claude-sonnet-5-5",
    });
    const at = events.findIndex(({ type }) => type === "attempt_failed");
    expect(events[at + 1]?.type).toBe("message_start");
    expect(strict.requests[1]).toEqual(strict.requests[0]);
  });

  it("L12 tries again after an event of another shape, whatever client has sent it", async () => {
    const { model: usual } = retrying([fine]);
    let attempts = 0;
    const odd: ModelClient = {
      id: "odd",
      async *stream(...given) {
        attempts += 1;
        if (attempts > 1) return yield* usual.stream(...given);
        yield { type: "message_start", message: { id: "m", model: "odd" } };
        yield { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "Lost." } };
      },
    };
    const { events, error } = await read(withRetry(odd, { sleep: async () => undefined }));
    expect(error).toBeUndefined();
    expect(failuresIn(events)).toMatchObject([{ error: { type: "malformed_answer", retryable: true } }]);
    expect(textOf(events)).toBe("Fine.");
  });

  it.each<[string, Reply]>([
    ["400", { fault: { status: 400 } }],
    ["401", { fault: { status: 401 } }],
    ["403", { fault: { status: 403 } }],
    ["404", { fault: { status: 404 } }],
    ["413", { fault: { status: 413 } }],
    ["a tier's spend limit", { fault: { status: 429, errorCode: "enforced_spend_limit_reached" } }],
    [
      "one's own spend limit",
      { fault: { status: 400, message: "You have reached your specified API usage limits." } },
    ],
    ["a refusal in the stream", { text: "Hello", fault: { midStream: "invalid_request_error" } }],
  ])("L12 never tries again after %s", async (_title, failing) => {
    const { model, strict } = retrying([failing, fine]);
    const { events, error } = await read(model);
    expect(PawlError.is(error, "model_error")).toBe(true);
    expect(failuresIn(events)).toEqual([]);
    expect(strict.requests).toHaveLength(1);
  });

  it("L12 waits twice as long each time, never longer than the maximum, and gives up after the last retry", async () => {
    const { model, strict, waits } = retrying([busy, busy, busy, busy, busy, fine], {
      retries: 4,
      baseMs: 100,
      maxMs: 500,
    });
    const { events, error } = await read(model);
    expect(error?.details).toMatchObject({ status: 529, type: "overloaded_error" });
    expect(waits).toEqual([100, 200, 400, 500]);
    expect(failuresIn(events).map((event) => event.retry_in_ms)).toEqual(waits);
    expect(strict.requests).toHaveLength(5);
  });

  it("scatters its waits downwards by the share that is left to chance", async () => {
    const chances = [0, 0.5, 0.999];
    const { model, waits } = retrying([busy, busy, busy, fine], {
      baseMs: 1000,
      jitter: 0.5,
      random: () => chances.shift() ?? 0,
    });
    await read(model);
    expect(waits).toEqual([1000, 1500, 2002]);
  });

  it("L12 obeys retry-after to the millisecond, longer than the maximum, shorter than the backoff, and 0", async () => {
    const after = (retryAfter: number): Reply => ({ fault: { status: 429, retryAfter } });
    const { model, waits } = retrying([after(90), after(0.001), after(0), fine], {
      jitter: 1,
      random: () => 0.7,
    });
    const { events } = await read(model);
    expect(waits).toEqual([90_000, 1, 0]);
    expect(failuresIn(events)[0]?.error.retryAfterMs).toBe(90_000);
  });

  it("L4 gives up at once when retry-after reaches beyond the deadline", async () => {
    const script: Reply[] = [{ fault: { status: 429, retryAfter: 10 } }, fine];
    const late = retrying(script);
    const { events, error } = await read(late.model, timeLeft(late.clock, 10_000));
    expect(error?.details).toMatchObject({ status: 429, retryAfterMs: 10_000 });
    expect({ events, waits: late.waits }).toEqual({ events: [], waits: [] });
    const inTime = retrying(script);
    const bounds = timeLeft(inTime.clock, 10_001);
    expect(textOf((await read(inTime.model, bounds)).events)).toBe("Fine.");
  });

  it("L4 gives up at once when its own wait would reach the deadline, counted from now", async () => {
    const { model, waits, clock, strict } = retrying([busy, busy, busy, fine], { baseMs: 1000 });
    const { error } = await read(model, timeLeft(clock, 4000));
    expect(error?.details.status).toBe(529);
    expect(waits).toEqual([1000, 2000]);
    expect(strict.requests).toHaveLength(3);
  });

  it("L9 an abort ends a wait at once, and no request follows", async () => {
    const strict = strictModel({ script: [busy, fine] });
    const stop = new AbortController();
    const events: string[] = [];
    const reading = (async () => {
      // The real clock: without the abort, the wait would outlast the test.
      const model = withRetry(strict, { baseMs: 3_600_000, maxMs: 3_600_000 });
      for await (const { type } of model.stream(hi, { signal: stop.signal })) events.push(type);
    })();
    await settled();
    await settled();
    expect(events).toEqual(["attempt_failed"]);
    stop.abort(new Error("enough"));
    await expect(reading).rejects.toThrow("enough");
    expect(strict.requests).toHaveLength(1);
    expect(getEventListeners(stop.signal, "abort")).toEqual([]);
  });

  it("L9 does not retry after an abort, before the wait or during it", async () => {
    const failing = { retryable: true, status: 529 };
    const first = new AbortController();
    const clock = testClock({ hurry: true });
    const before = deafModel(failing, () => first.abort());
    const { events } = await read(withRetry(before, { sleep: clock.sleep }), { signal: first.signal });
    expect({ events, calls: before.calls, waits: clock.waits }).toEqual({
      events: [{ type: "ping" }],
      calls: 1,
      waits: [],
    });
    const second = new AbortController();
    const sleep = async () => second.abort(new Error("enough"));
    const within = deafModel(failing);
    const { error } = await read(withRetry(within, { sleep }), { signal: second.signal });
    expect({ message: error?.message, calls: within.calls }).toEqual({ message: "enough", calls: 1 });
  });

  it("does not wait for an open circuit", async () => {
    const open = deafModel({ retryable: true, type: "circuit_open", retryAfterMs: 30_000 });
    const clock = testClock({ hurry: true });
    expect((await read(withRetry(open, { sleep: clock.sleep }))).error?.details.type).toBe("circuit_open");
    expect({ calls: open.calls, waits: clock.waits }).toEqual({ calls: 1, waits: [] });
  });

  it("takes a stream that ends without message_stop for a cut one", async () => {
    let calls = 0;
    const whole = scriptedModel(() => fine);
    const flaky: ModelClient = {
      id: "flaky",
      async *stream(request, options) {
        calls += 1;
        for await (const event of whole.stream(request, options)) {
          if (calls === 1 && event.type === "message_stop") return;
          yield event;
        }
      },
    };
    const { events, error } = await read(withRetry(flaky, { sleep: testClock({ hurry: true }).sleep }));
    expect({ calls, error, text: textOf(events) }).toEqual({ calls: 2, error: undefined, text: "Fine." });
  });

  it("passes on errors that are not failures of the model", async () => {
    const broken = scriptedModel(() => {
      throw new TypeError("a bug");
    });
    const { error, events } = await read(withRetry(broken, { sleep: testClock({ hurry: true }).sleep }));
    expect({ name: error?.name, events }).toEqual({ name: "TypeError", events: [] });
  });

  it("goes by the model's id and prices", () => {
    const pricing = { input: 1, output: 1, cacheRead: 1, cacheWrite5m: 1, cacheWrite1h: 1 };
    const model = withRetry(scriptedModel([], { id: "m", pricing }));
    expect(model).toMatchObject({ id: "m", pricing });
    expect("pricing" in withRetry(scriptedModel([]))).toBe(false);
  });

  it("O1 reads files and formats outputs as its class does", () => {
    class Client {
      id = "m";
      stream = scriptedModel([]).stream;
      get reads() {
        return ["pdf"] as const;
      }
      outputFormat(schema: object) {
        return { ...schema, title: this.id };
      }
    }
    for (const model of [withRetry(new Client()), withFallback(new Client())]) {
      expect(model.reads).toEqual(["pdf"]);
      expect(model.outputFormat?.({ type: "object" })).toEqual({ type: "object", title: "m" });
    }
  });

  it("O1 goes by the id, the prices and the models of a class", () => {
    const pricing = { input: 1, output: 1, cacheRead: 1, cacheWrite5m: 1, cacheWrite1h: 1 };
    const inner = scriptedModel([]);
    class Client implements ModelClient {
      get id() {
        return "m";
      }
      get pricing() {
        return pricing;
      }
      get models() {
        return [{ id: "a", pricing }];
      }
      stream = inner.stream;
    }
    const { id, pricing: prices, models } = withRetry(new Client());
    expect({ id, prices, models }).toEqual({ id: "m", prices: pricing, models: [{ id: "a", pricing }] });
  });
});
