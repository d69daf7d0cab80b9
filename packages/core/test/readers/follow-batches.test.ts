import { setImmediate } from "node:timers/promises";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { settled } from "../../../../test/support/settled.ts";
import {
  type EventStore,
  memoryStore,
  PawlError,
  type SessionEvent,
  type StoredEvent,
  tool,
} from "../../src/index.ts";
import type { LiveTail } from "../../src/store.ts";
import { localTail } from "../../src/store.ts";
import { progressOf } from "../support/progress-of.ts";
import { setup } from "../support/setup.ts";

const COUNT = 200;

async function written(): Promise<EventStore> {
  const store = memoryStore();
  await store.sessions.create({ id: "s", userId: "u1", agent: "tester" });
  for (let at = 1; at <= COUNT; at += 1) {
    await store.append("s", [{ type: "note", data: { text: String(at) } }], { appendId: String(at) });
  }
  return store;
}

const seqs = (events: readonly SessionEvent[]) =>
  events.flatMap((event) => ("seq" in event ? [event.seq] : []));

describe("L16 a reader of a long log", () => {
  it("is shown all of it, in order", async () => {
    const { pawl } = setup([], {}, { store: await written() });
    const events: SessionEvent[] = [];
    for await (const event of pawl.follow("s")) {
      events.push(event);
      if (events.length === COUNT) break;
    }
    expect(seqs(events)).toEqual(Array.from({ length: COUNT }, (_, at) => at + 1));
  });

  it("is shown nothing more after its signal was aborted, even within a batch", async () => {
    const { pawl } = setup([], {}, { store: await written() });
    const gone = new AbortController();
    const events: SessionEvent[] = [];
    for await (const event of pawl.follow("s", { signal: gone.signal })) {
      events.push(event);
      if (events.length === 70) gone.abort();
    }
    expect(seqs(events)).toHaveLength(70);
  });

  it("W1 ends as soon as its signal is aborted while it waits", async () => {
    const pollMs = 60_000;
    const { pawl } = setup([], {}, { store: await written(), times: { pollMs } });
    const gone = new AbortController();
    const reading = Array.fromAsync(pawl.follow("s", { signal: gone.signal }));
    await settled();
    gone.abort();
    expect(seqs(await reading)).toHaveLength(COUNT);
  });

  it("is shown what was read before the store failed, and continues from there", async () => {
    const store = await written();
    let fails = true;
    const failing: EventStore = {
      ...store,
      read: async function* (sessionId, options) {
        for await (const event of store.read(sessionId, options)) {
          if (fails && event.seq === 100) {
            fails = false;
            throw new PawlError("store_unavailable", "gone");
          }
          yield event;
        }
      },
    };
    const { pawl } = setup([], {}, { store: failing });
    const events: SessionEvent[] = [];
    const read = async (afterSeq: number) => {
      for await (const event of pawl.follow("s", { afterSeq })) {
        events.push(event);
        if (seqs(events).at(-1) === COUNT) break;
      }
    };
    await expect(read(0)).rejects.toMatchObject({ code: "store_unavailable" });
    expect(seqs(events)).toEqual(Array.from({ length: 99 }, (_, at) => at + 1));
    await read(99);
    expect(seqs(events)).toEqual(Array.from({ length: COUNT }, (_, at) => at + 1));
  });
});

describe("L16 events stored by this process", () => {
  const rows = async (from: number, count: number) => {
    const store = await written();
    return await Array.fromAsync(store.read("s", { afterSeq: from - 1, limit: count }));
  };
  const recentSeqs = (tail: LiveTail) => tail.peek("s").recent.map(({ seq }) => seq);

  it("are kept for readers, without gaps and up to a limit", async () => {
    const tail = localTail();
    tail.stored("s", 1, await rows(1, 1));
    tail.live("s");
    tail.stored("s", 1, await rows(1, 1));
    expect(recentSeqs(tail)).toEqual([]);
    const leave = tail.subscribe("s", () => undefined);
    tail.stored("s", 3, await rows(2, 2));
    tail.stored("s", 4, await rows(4, 1));
    expect(recentSeqs(tail)).toEqual([2, 3, 4]);
    tail.stored("s", 5);
    expect(recentSeqs(tail)).toEqual([2, 3, 4]);
    tail.stored("s", 7, await rows(6, 2));
    expect(recentSeqs(tail)).toEqual([6, 7]);
    tail.stored("s", 107, await rows(8, 100));
    expect(recentSeqs(tail)).toEqual(Array.from({ length: 32 }, (_, at) => 76 + at));
    leave();
    tail.stored("s", 108, await rows(108, 1));
    expect(recentSeqs(tail)).toEqual([]);
  });

  it("are shown to a new reader together with later events of other processes", async () => {
    const store = await written();
    const tail = localTail();
    tail.subscribe("s", () => undefined);
    const own = await Array.fromAsync(store.read("s", { afterSeq: COUNT - 2, limit: 1 }));
    tail.stored("s", COUNT - 1, own);
    const { pawl } = setup([], {}, { store, tail, times: { pollMs: 3_600_000 } });
    const events: SessionEvent[] = [];
    for await (const event of pawl.follow("s", { afterSeq: COUNT - 2 })) {
      events.push(event);
      if (events.length === 2) break;
    }
    expect(seqs(events)).toEqual([COUNT - 1, COUNT]);
  });

  it("are frozen, because the run and its readers share them", async () => {
    const data = { text: "said", deep: { list: [{ a: 1 }] } };
    const row = { sessionId: "s", seq: 1, v: 1, at: "", type: "note", data } as unknown as StoredEvent;
    const tail = localTail();
    tail.subscribe("s", () => undefined);
    tail.stored("s", 1, [row]);
    const [event] = tail.peek("s").recent;
    expect(event).toEqual({ ...row });
    expect(() => Object.assign(event?.data as object, { text: "changed" })).toThrow(TypeError);
    expect(() => data.deep.list.push({ a: 2 })).toThrow(TypeError);
  });

  it("are shown with events of other processes in between", async () => {
    const inner = memoryStore();
    const noted = tool({
      name: "note",
      description: "Takes a note.",
      input: z.object({ at: z.number() }),
      // Another process, or somebody past the runtime, writes in the middle of the run.
      execute: async (_, { sessionId, callId }) => {
        await inner.append(sessionId, [{ type: "note", data: { text: callId } }], { appendId: callId });
        return "noted";
      },
    });
    const call = (at: number) => ({ tools: [{ name: "note", input: { at } }] });
    const { pawl } = setup(
      [call(1), call(2), call(3), { text: "Done" }],
      { tools: [noted] },
      { store: inner },
    );
    const run = pawl.run("tester", { userId: "u1", input: "Go" });
    const events: SessionEvent[] = [];
    for await (const event of run) events.push(event);
    const { sessionId } = await run.started;
    const stored = await Array.fromAsync(inner.read(sessionId));
    expect(events.filter((event) => "seq" in event)).toEqual(stored);
    expect(events.filter(({ type }) => type === "note")).toHaveLength(3);
  });

  it("are waited for if they are announced before the store returns them", async () => {
    const inner = await written();
    const tail = localTail();
    let reads = 0;
    const store: EventStore = {
      ...inner,
      read: (sessionId, options) => {
        reads += 1;
        if (reads > 20) throw new Error("asked again and again");
        return inner.read(sessionId, options);
      },
    };
    const { pawl } = setup([], {}, { store, tail, times: { pollMs: 3_600_000 } });
    const events = pawl.follow("s", { afterSeq: COUNT })[Symbol.asyncIterator]();
    const next = events.next();
    await settled();
    tail.stored("s", COUNT + 1);
    await settled();
    const [row] = await inner.append("s", [{ type: "note", data: { text: "late" } }], { appendId: "late" });
    tail.stored("s", COUNT + 1);
    expect(await next).toEqual({ done: false, value: row });
    await events.return?.();
  });

  it("L10 are not followed by progress of a call that has its result", async () => {
    const store = await written();
    const tail = localTail();
    const { reports } = tail.live("s");
    reports.push({ version: 1, event: progressOf("c1", 1) }, { version: 2, event: progressOf("c2", 2) });
    const result = { call_id: "c1", tool_name: "look", success: true, result: "done", duration_ms: 1 };
    const types = ["tool_result", "tool_status", "tool_progress"];
    await store.append("s", [{ type: "tool_result", data: result } as never], { appendId: "result" });
    const { pawl } = setup([], {}, { store, tail });
    const events: SessionEvent[] = [];
    for await (const event of pawl.follow("s", { afterSeq: COUNT })) {
      events.push(event);
      if (events.length === types.length) break;
    }
    expect(events.map(({ type }) => type)).toEqual(types);
    expect(events.at(-1)).toMatchObject({ data: { call_id: "c2" } });
  });

  it("cost no query per turn", async () => {
    const inner = memoryStore();
    let reads = 0;
    const store: EventStore = {
      ...inner,
      read: (sessionId, options) => {
        reads += 1;
        return inner.read(sessionId, options);
      },
    };
    const look = tool({
      name: "look",
      description: "Looks.",
      input: z.object({ at: z.number() }),
      execute: () => "",
    });
    const turns = Array.from({ length: 20 }, (_, at) => ({
      tools: [{ name: "look", input: { at } }],
      delayPerEventMs: 1,
    }));
    const limits = { turns: 100, toolCalls: 100 };
    const { pawl } = setup([...turns, { text: "Done" }], { tools: [look], limits }, { store });
    const events: SessionEvent[] = [];
    for await (const event of pawl.run("tester", { userId: "u1", input: "Go" })) events.push(event);
    expect(events.filter(({ type }) => type === "assistant_message")).toHaveLength(21);
    expect(reads).toBeLessThan(12);
  });
});

/** Somebody stores so many events and tells of them: with the events, without, only at last, or not at all. */
const step = fc.record({
  count: fc.oneof({ weight: 5, arbitrary: fc.integer({ min: 1, max: 3 }) }, fc.constantFrom(31, 33, 70)),
  tells: fc.constantFrom("events", "number", "at last", "not"),
  pauses: fc.boolean(),
});

/** A reader that has read so far, starts before that step, and may be slow. */
const reader = fc.record({ after: fc.nat({ max: 5 }), comesAt: fc.nat({ max: 6 }), slow: fc.boolean() });

type Of<A> = A extends fc.Arbitrary<infer One> ? One : never;

/** Takes the steps, and returns what is stored by then. */
async function stored(
  steps: readonly Of<typeof step>[],
  log: EventStore,
  tail: LiveTail,
  begin: (at: number) => void,
) {
  const atLast: (() => void)[] = [];
  let seq = 0;
  for (const [at, { count, tells, pauses }] of steps.entries()) {
    begin(at);
    const notes = Array.from({ length: count }, () => ({ type: "note", data: { text: `${at}` } }) as const);
    const rows = await log.append("s", notes, { appendId: String(at) });
    seq += count;
    const last = seq;
    const tell = () => tail.stored("s", last, tells === "number" ? undefined : rows);
    if (tells === "at last") atLast.unshift(tell);
    else if (tells !== "not") tell();
    if (pauses) await setImmediate();
  }
  for (const tell of atLast) tell();
  tail.stored("s", seq);
  return await Array.fromAsync(log.read("s"));
}

async function shownTo({ slow }: Of<typeof reader>, events: AsyncIterable<SessionEvent>, last: number) {
  const shown: SessionEvent[] = [];
  for await (const event of events) {
    shown.push(event);
    if ("seq" in event && event.seq === last) break;
    if (slow) await setImmediate();
  }
  return shown;
}

it("L16 every event is shown once and in order, whichever process stored it and whenever it is announced", async () => {
  const steps = fc.array(step, { minLength: 1, maxLength: 12 });
  const readers = fc.array(reader, { minLength: 1, maxLength: 3 });
  const property = fc.asyncProperty(steps, readers, async (taken, all) => {
    const log = memoryStore();
    const tail = localTail();
    await log.sessions.create({ id: "s", userId: "u1", agent: "tester" });
    const { pawl } = setup([], {}, { store: log, tail, times: { pollMs: 3_600_000 } });
    const last = taken.reduce((sum, { count }) => sum + count, 0);
    const reading = new Map<number, Promise<SessionEvent[]>>();
    const begin = (step: number) => {
      for (const [at, one] of all.entries()) {
        if (one.comesAt % taken.length !== step || one.after >= last) continue;
        reading.set(at, shownTo(one, pawl.follow("s", { afterSeq: one.after }), last));
      }
    };
    const events = await stored(taken, log, tail, begin);
    for (const [at, shown] of reading) expect(await shown).toEqual(events.slice(all[at]?.after));
  });
  await fc.assert(property, { numRuns: 300 });
});
