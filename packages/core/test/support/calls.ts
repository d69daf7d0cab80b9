import type { Reply } from "@pawl/testing";
import { settled } from "../../../../test/support/settled.ts";
import { type ModelClient, type ModelFailure, type ModelRequest, PawlError } from "../../src/index.ts";
import type { ModelEvent, Sleep, StreamOptions } from "../../src/model.ts";

export const hi: ModelRequest = {
  system: [],
  tools: [],
  messages: [{ role: "user", content: [{ type: "text", text: "Hi" }] }],
  maxTokens: 100,
};

/** Replies of an overloaded server, and of one that answers. */
export const busy: Reply = { fault: { status: 529 } };
export const fine: Reply = { text: "Fine." };

/** A model that yields `events` and fails, if so told, whatever its signal says. */
export function deafModel(
  failure?: ModelFailure,
  onCall: () => void = () => {},
): ModelClient & { calls: number } {
  const model = {
    id: "deaf",
    calls: 0,
    async *stream(): AsyncGenerator<ModelEvent, void> {
      model.calls += 1;
      yield { type: "ping" };
      onCall();
      if (failure !== undefined)
        throw new PawlError("model_error", "It failed.", { details: { ...failure } });
    },
  };
  return model;
}

/** What a call yielded, and what it threw. */
export interface Outcome {
  events: ModelEvent[];
  error?: PawlError;
}

/** Reads an answer to its end, or to the error. */
export async function read(model: ModelClient, options: Partial<StreamOptions> = {}): Promise<Outcome> {
  const events: ModelEvent[] = [];
  const signal = new AbortController().signal;
  try {
    for await (const event of model.stream(hi, { signal, ...options })) events.push(event);
    return { events };
  } catch (error) {
    return { events, error: error as PawlError };
  }
}

/** The text after the last attempt that failed. */
export function textOf(events: readonly ModelEvent[]): string {
  const last = events.findLastIndex(({ type }) => type === "attempt_failed");
  return events
    .slice(last + 1)
    .flatMap((event) => (event.type === "content_block_delta" ? [event.delta.text ?? ""] : []))
    .join("");
}

export function failuresIn(events: readonly ModelEvent[]): Extract<ModelEvent, { type: "attempt_failed" }>[] {
  return events.filter((event) => event.type === "attempt_failed");
}

/** A time that passes when the test says so. */
export interface Clock {
  now(): number;
  sleep: Sleep;
  /** Sleeps until the next sleeper wakes. */
  pass(ms: number): Promise<void>;
  /** What was asked of `sleep`, in order. */
  readonly waits: number[];
  /** How many sleep now. */
  readonly asleep: number;
}

/** With `hurry`, a sleep ends at once, and the clock has moved on. */
export function testClock({ hurry = false } = {}): Clock {
  let time = 1_000_000;
  const waits: number[] = [];
  const sleepers = new Set<{ at: number; wake: () => void }>();
  return {
    waits,
    get asleep() {
      return sleepers.size;
    },
    now: () => time,
    sleep: (ms, signal) => {
      waits.push(ms);
      if (hurry) time += ms;
      return new Promise((resolve, reject) => {
        if (signal.aborted) return reject(signal.reason);
        if (hurry || ms === 0) return resolve();
        const sleeper = { at: time + ms, wake: resolve };
        sleepers.add(sleeper);
        signal.addEventListener("abort", () => {
          sleepers.delete(sleeper);
          reject(signal.reason);
        });
      });
    },
    pass: async (ms) => {
      time += ms;
      for (const sleeper of sleepers) {
        if (sleeper.at > time) continue;
        sleepers.delete(sleeper);
        sleeper.wake();
      }
      await settled();
    },
  };
}
