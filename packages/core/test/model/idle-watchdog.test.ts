import { getEventListeners } from "node:events";
import { type Reply, scriptedModel } from "@pawl/testing";
import { describe, expect, it } from "vitest";
import { settled } from "../../../../test/support/settled.ts";
import { type ModelClient, withIdleWatchdog, withRetry } from "../../src/index.ts";
import type { ModelEvent } from "../../src/model.ts";
import { failuresIn, hi, read, testClock, textOf } from "../support/calls.ts";

/** A model that says what it is told to, when it is told to. */
function puppet({ deaf = false } = {}) {
  let tell: ((event: ModelEvent | "end") => void) | undefined;
  const seen = { aborted: undefined as unknown, ended: false };
  const model: ModelClient = {
    id: "puppet",
    async *stream(_request, { signal }) {
      signal.addEventListener("abort", () => {
        seen.aborted = signal.reason;
      });
      try {
        for (;;) {
          const event = await new Promise<ModelEvent | "end">((resolve, reject) => {
            tell = resolve;
            if (!deaf) signal.addEventListener("abort", () => reject(signal.reason));
          });
          if (event === "end") return;
          yield event;
        }
      } finally {
        seen.ended = true;
      }
    },
  };
  const say = async (event: ModelEvent | "end") => {
    tell?.(event);
    await settled();
  };
  return { model, say, seen };
}

const ping: ModelEvent = { type: "ping" };
const idle = { code: "model_error", details: { retryable: true, type: "idle_timeout" } };

describe("withIdleWatchdog", () => {
  it.each([false, true])(
    "L12 aborts and abandons a silent call, whether or not it ignores its signal: %s",
    async (deaf) => {
      const clock = testClock();
      const { model, say, seen } = puppet({ deaf });
      const reading = read(withIdleWatchdog(model, { idleMs: 100, sleep: clock.sleep, now: clock.now }));
      await settled();
      await say(ping);
      await clock.pass(100);
      const { events, error } = await reading;
      expect(error).toMatchObject(idle);
      expect(events).toEqual([ping]);
      expect(seen).toEqual({ aborted: error, ended: !deaf });
      expect(clock.asleep).toBe(0);
    },
  );

  it("counts silence before the first event as well", async () => {
    const clock = testClock();
    const reading = read(
      withIdleWatchdog(puppet().model, { idleMs: 100, sleep: clock.sleep, now: clock.now }),
    );
    await settled();
    await clock.pass(100);
    expect((await reading).error).toMatchObject(idle);
  });

  it("takes every event for a sign of life, pings included, and counts from the last one", async () => {
    const clock = testClock();
    const { model, say } = puppet();
    const reading = read(withIdleWatchdog(model, { idleMs: 100, sleep: clock.sleep, now: clock.now }));
    await settled();
    for (const _ of [1, 2, 3, 4]) {
      await clock.pass(60);
      await say(ping);
    }
    await clock.pass(99);
    await say({ type: "message_stop" });
    await clock.pass(99);
    await say("end");
    const { events, error } = await reading;
    expect({ events: events.length, error }).toEqual({ events: 5, error: undefined });
    const late = read(withIdleWatchdog(model, { idleMs: 100, sleep: clock.sleep, now: clock.now }));
    await settled();
    await clock.pass(60);
    await say(ping);
    await clock.pass(99);
    await clock.pass(1);
    expect((await late).error).toMatchObject(idle);
  });

  it("does not count the time in which nobody reads", async () => {
    const clock = testClock();
    const { model, say } = puppet();
    const watched = withIdleWatchdog(model, { idleMs: 100, sleep: clock.sleep, now: clock.now });
    const events = watched.stream(hi, { signal: new AbortController().signal })[Symbol.asyncIterator]();
    const first = events.next();
    await settled();
    await say(ping);
    await first;
    await clock.pass(1000);
    const second = events.next();
    await settled();
    await clock.pass(99);
    await say(ping);
    expect((await second).value).toEqual(ping);
    await events.return?.();
    expect(clock.asleep).toBe(0);
  });

  it("L9 passes an abort to the call, and to a reader whose call ignores its signal", async () => {
    for (const deaf of [false, true]) {
      const { model, seen } = puppet({ deaf });
      const stop = new AbortController();
      const clock = testClock();
      const reading = read(withIdleWatchdog(model, { sleep: clock.sleep, now: clock.now }), {
        signal: stop.signal,
      });
      await settled();
      const reason = new Error("enough");
      stop.abort(reason);
      expect((await reading).error).toBe(reason);
      expect(seen.aborted).toBe(reason);
      expect(clock.asleep).toBe(0);
      expect(getEventListeners(stop.signal, "abort")).toEqual([]);
      expect((await read(withIdleWatchdog(model), { signal: stop.signal })).error).toBe(reason);
    }
  });

  it("L9 asks a call that ignores its signal for nothing more after an abort between two events", async () => {
    const { model, say } = puppet({ deaf: true });
    const stop = new AbortController();
    const { sleep, now } = testClock();
    const watched = withIdleWatchdog(model, { sleep, now });
    const events = watched.stream(hi, { signal: stop.signal })[Symbol.asyncIterator]();
    const first = events.next();
    await settled();
    await say(ping);
    await first;
    stop.abort(new Error("enough"));
    await expect(events.next()).rejects.toThrow("enough");
  });

  it("ends the call of a reader that leaves, and leaves nothing behind", async () => {
    const { model, say, seen } = puppet();
    const { signal } = new AbortController();
    const clock = testClock();
    const leaving = (async () => {
      for await (const _ of withIdleWatchdog(model, { sleep: clock.sleep, now: clock.now }).stream(hi, {
        signal,
      }))
        break;
    })();
    await settled();
    await say(ping);
    await leaving;
    expect(seen).toEqual({ aborted: undefined, ended: true });
    expect(clock.asleep).toBe(0);
    expect(getEventListeners(signal, "abort")).toEqual([]);
  });

  it("sets one timer for a whole answer, and none that outlives it", async () => {
    const clock = testClock();
    const inner = scriptedModel([{ text: "word ".repeat(200) }]);
    const { events } = await read(withIdleWatchdog(inner, { sleep: clock.sleep, now: clock.now }));
    expect(events.length).toBeGreaterThan(20);
    expect({ waits: clock.waits, asleep: clock.asleep }).toEqual({ waits: [60_000], asleep: 0 });
  });

  it("L12 lets a stalled answer be tried again", async () => {
    const script: Reply[] = [{ text: "Hello", fault: { stall: 4 } }, { text: "Fine." }];
    const inner = scriptedModel(script);
    const watchdog = testClock();
    const reading = read(
      withRetry(withIdleWatchdog(inner, { idleMs: 100, sleep: watchdog.sleep, now: watchdog.now }), {
        sleep: testClock({ hurry: true }).sleep,
      }),
    );
    while (inner.requests.length === 0 || watchdog.asleep === 0) await settled();
    await settled();
    await watchdog.pass(100);
    const { events } = await reading;
    expect(textOf(events)).toBe("Fine.");
    expect(failuresIn(events)).toMatchObject([{ error: { type: "idle_timeout" } }]);
  });

  it("does not count the wait of the model inside for its next attempt as silence", async () => {
    const inner = scriptedModel([{ fault: { status: 429, retryAfter: 1 } }, { text: "Fine." }]);
    const backoff = testClock();
    const watchdog = testClock();
    const reading = read(
      withIdleWatchdog(withRetry(inner, { sleep: backoff.sleep }), {
        idleMs: 100,
        sleep: watchdog.sleep,
        now: watchdog.now,
      }),
    );
    while (backoff.asleep === 0) await settled();
    await watchdog.pass(1099);
    await backoff.pass(1000);
    expect(textOf((await reading).events)).toBe("Fine.");
  });
});
