import { AsyncLocalStorage } from "node:async_hooks";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { without } from "../../../../test/support/each-way.ts";
import { settled } from "../../../../test/support/settled.ts";
import { type EventStore, memoryStore, type SessionEvent } from "../../src/index.ts";
import { type LiveTail, localTail, type NewEvent, watchedStore } from "../../src/store.ts";
import { setup } from "../support/setup.ts";

const POLL_MS = 1_000;
const MINUTE_MS = 60_000;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
});

afterEach(() => {
  vi.useRealTimers();
});

const passing = async (ms: number, stepMs = 500) => {
  for (let passed = 0; passed < ms; passed += stepMs) {
    await vi.advanceTimersByTimeAsync(stepMs);
    await settled();
  }
};

/** Some readers of one session, in a process that shares its store with others. */
async function world({ tail, hears = false }: { tail?: LiveTail; hears?: boolean } = {}) {
  const inner = memoryStore();
  await inner.sessions.create({ id: "s", userId: "u1", agent: "tester" });
  let reads = 0;
  // Whether it notifies of appends is the parameter `hears`.
  const twin = "with notifications of every append: one query a minute, and one per append from elsewhere";
  const unwatched = without(inner, "watch", twin);
  const counted: EventStore = {
    ...unwatched,
    read: (sessionId, options) => {
      reads += 1;
      return inner.read(sessionId, options);
    },
  };
  const store = hears ? watchedStore(counted) : counted;
  const { pawl } = setup([], {}, { store, times: { pollMs: POLL_MS }, ...(tail && { tail }) });
  const gone = new AbortController();
  const readers: SessionEvent[][] = [];
  const reading: Promise<void>[] = [];
  const read = async (events: SessionEvent[]) => {
    for await (const event of pawl.follow("s", { signal: gone.signal })) events.push(event);
  };
  for (let n = 0; n < 20; n += 1) {
    const events: SessionEvent[] = [];
    readers.push(events);
    reading.push(read(events));
  }
  await settled();
  let appended = 0;
  return {
    /** How often the store has been read since this was last asked. */
    reads: () => {
      const count = reads;
      reads = 0;
      return count;
    },
    append: async (event: NewEvent, into = store) => {
      appended += 1;
      const [row] = await into.append("s", [event], { appendId: `a${appended}` });
      await settled();
      return row?.seq ?? 0;
    },
    store,
    /** An append that nobody here hears of. */
    inner,
    shown: () => readers.map((events) => events.length),
    leave: async () => {
      gone.abort();
      await Promise.all(reading);
    },
  };
}

const note: NewEvent = { type: "note", data: { text: "from afar" } };
const each = (count: number) => Array.from({ length: 20 }, () => count);

/** A tail that hears of other processes, or does not. */
function hearing(listening: boolean) {
  const local = localTail();
  const callbacks = new Set<() => void>();
  const state = { listening };
  const tail: LiveTail = {
    ...local,
    subscribe(sessionId, onChange) {
      callbacks.add(onChange);
      return local.subscribe(sessionId, onChange);
    },
    get listening() {
      return state.listening;
    },
  };
  const hear = (is: boolean) => {
    state.listening = is;
    for (const call of callbacks) call();
  };
  return { tail, hear };
}

describe("queries of waiting readers", () => {
  it("without notifications of other processes: one query per session and interval, however many read", async () => {
    const { reads, inner, append, shown, leave } = await world();
    reads();
    await passing(10 * POLL_MS);
    expect(reads()).toBe(10);
    await append(note, inner);
    await passing(POLL_MS);
    expect(shown()).toEqual(each(1));
    await leave();
  });

  it("with notifications of every append: one query a minute, and one per append from elsewhere", async () => {
    const { reads, append, shown, leave } = await world({ hears: true });
    reads();
    await passing(MINUTE_MS - POLL_MS);
    expect(reads()).toBe(0);
    await passing(POLL_MS);
    expect(reads()).toBe(1);
    await append(note);
    await passing(1, 1);
    expect(shown()).toEqual(each(1));
    expect(reads()).toBe(1);
    await leave();
  });

  it("E9 a tail that stops listening makes readers poll; once it listens again they query what they missed", async () => {
    const { tail, hear } = hearing(true);
    const { reads, inner, append, shown, leave } = await world({ tail });
    reads();
    await passing(30 * POLL_MS);
    expect(reads()).toBe(0);
    await append(note, inner);
    hear(false);
    await settled();
    expect(shown()).toEqual(each(1));
    await append(note, inner);
    await passing(POLL_MS);
    expect(shown()).toEqual(each(2));
    reads();
    await passing(10 * POLL_MS);
    expect(reads()).toBe(10);
    await append(note, inner);
    hear(true);
    await settled();
    expect(shown()).toEqual(each(3));
    reads();
    await passing(30 * POLL_MS);
    expect(reads()).toBe(0);
    await leave();
  });

  it("L16 in a run that is in progress, an append whose wake-up was lost is not late", async () => {
    const { tail } = hearing(true);
    const { inner, append, shown, reads, leave } = await world({ tail });
    const begun = { run_id: "r", agent: "tester", agent_version: "1" };
    tail.stored("s", await append({ type: "run_started", data: begun }, inner));
    await settled();
    expect(shown()).toEqual(each(1));
    await append(note, inner);
    await passing(POLL_MS);
    expect(shown()).toEqual(each(2));
    await append({ type: "run_suspended", data: { run_id: "r", pending: [] } }, inner);
    await passing(POLL_MS);
    expect(shown()).toEqual(each(3));
    reads();
    await passing(30 * POLL_MS);
    expect(reads()).toBe(0);
    await leave();
  });

  it("W4 an append from elsewhere right after one of this runtime is shown at once", async () => {
    const tail = localTail();
    const { store, shown, leave } = await world({ tail, hears: true });
    const own = await store.append("s", [note], { appendId: "own" });
    tail.stored("s", 1, own);
    await store.append("s", [note], { appendId: "foreign" });
    await passing(1, 1);
    expect(shown()).toEqual(each(2));
    await leave();
  });

  it("U4 an append sets no timer, which would belong to the request that appends", async () => {
    const { store, shown, leave } = await world({ hears: true });
    const setTimer = vi.fn();
    const real = globalThis.setImmediate;
    const within = new AsyncLocalStorage<true>();
    vi.stubGlobal("setImmediate", (then: () => void) => {
      if (within.getStore()) setTimer();
      return real(then);
    });
    await within.run(true, () => store.append("s", [note], { appendId: "foreign" }));
    vi.unstubAllGlobals();
    expect(setTimer).not.toHaveBeenCalled();
    await passing(1, 1);
    expect(shown()).toEqual(each(1));
    await leave();
  });

  it("L16 readers that are far behind are shown everything, once and in order", async () => {
    const { inner, shown, append, leave } = await world({ hears: true });
    const notes = Array.from({ length: 200 }, () => note);
    await inner.append("s", notes, { appendId: "many" });
    await append(note);
    await passing(1, 1);
    expect(shown()).toEqual(each(201));
    await leave();
  });

  it("this runtime's own appends are shown from memory, without a query", async () => {
    const { pawl, store, say } = setup([{ text: "One." }, { text: "Two." }]);
    const { sessionId } = await say("First");
    const control = new AbortController();
    const seen: string[] = [];
    const reading = (async () => {
      for await (const { type } of pawl.follow(sessionId, { afterSeq: 0, signal: control.signal }))
        seen.push(type);
    })();
    await settled();
    const read = vi.spyOn(store, "read");
    const before = seen.length;
    const second = pawl.run("tester", { userId: "u1", sessionId, input: "Second" }).result;
    await passing(20, 1);
    await second;
    await passing(5, 1);
    expect(seen.slice(before)).toContain("run_ended");
    // The leg loads its session by `open`. The handle's result and the reader ask for nothing.
    expect(read).not.toHaveBeenCalled();
    control.abort();
    await reading;
  });
});
