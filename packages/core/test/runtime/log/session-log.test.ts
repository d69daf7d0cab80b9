import { expect, it } from "vitest";
import { type EventStore, memoryStore, PawlError, type StoredEvent } from "../../../src/index.ts";
import type { SessionLog } from "../../../src/loop/leg/session-log.ts";
import { openLog } from "../../../src/runtime/log/open-log.ts";
import { newSessionState } from "../../../src/session/new-state.ts";
import { localTail } from "../../../src/store.ts";

const note = (text: string) => ({ type: "note", data: { text } }) as const;

async function opened(
  around: (store: EventStore) => EventStore = (store) => store,
  prepare?: Parameters<typeof openLog>[0]["prepare"],
) {
  const store = memoryStore();
  await store.sessions.create({ id: "s", userId: "u", agent: "a" });
  const lease = await store.acquire("s", "me", 60_000);
  if (lease === undefined) throw new Error("no lease");
  const state = newSessionState("s");
  let ids = 0;
  const newId = () => `id${++ids}`;
  const seen: StoredEvent[] = [];
  const log = openLog({
    store: around(store),
    tail: localTail(),
    state,
    lease,
    newId,
    ...(prepare && { prepare }),
    onEvent: (event) => {
      seen.push(event);
      onEvent(event);
    },
  });
  let onEvent = (_event: StoredEvent): void => undefined;
  const onNext = (does: typeof onEvent) => {
    onEvent = does;
  };
  const others = async (text: string) => await store.append("s", [note(text)], { appendId: text });
  return { store, log, others, seen, onNext };
}

it("E2 an append at the tip means the tip that its caller has seen, however long it waits for its turn", async () => {
  const { store, log, others } = await opened();
  await log.add([note("first")]);
  await others("a message that came");
  const catchingUp = log.catchUp();
  // The caller has not seen the message: it is folded in before this has its turn.
  expect(await log.appendAtTip([note("last")])).toBe(false);
  await catchingUp;
  expect(log.state.lastSeq).toBe(2);
  expect(await log.appendAtTip([note("last")])).toBe(true);
  expect(await Array.fromAsync(store.read("s"))).toHaveLength(3);
});

it("E2 an append at the tip that waits behind one of the same leg is decided again", async () => {
  const { log } = await opened();
  const before = log.add([note("a report")]);
  expect(await log.appendAtTip([note("last")])).toBe(false);
  await before;
  expect(await log.appendAtTip([note("last")])).toBe(true);
  expect(log.state.lastSeq).toBe(2);
});

it("E2 what is appended at once is stored in one go, in order, and not before what is to have a turn of its own", async () => {
  const batches: number[] = [];
  const { store, log, seen } = await opened((inner) => ({
    ...inner,
    append: (sessionId, events, options) => {
      batches.push(events.length);
      return inner.append(sessionId, events, options);
    },
  }));
  const texts = ["a", "b", "last", "c", "d"];
  await Promise.all(
    texts.map((text) =>
      text === "last" ? log.appendAtTip([note(text)], { seq: 2 }) : log.add([note(text)]),
    ),
  );
  expect(batches).toEqual([2, 1, 2]);
  const stored = await Array.fromAsync(store.read("s"));
  expect(stored.map(({ data }) => (data as { text: string }).text)).toEqual(texts);
  expect(seen).toEqual(stored);
});

it("E2 every event is folded once and in order, with what others store and what is appended while one is folded", async () => {
  const { store, log, others, seen, onNext } = await opened();
  const appended: Promise<unknown>[] = [];
  onNext((event) => {
    if (event.seq === 2) appended.push(log.add([note("from within")]));
  });
  const first = log.add([note("one"), note("two")]);
  const catchingUp = log.catchUp();
  await others("another's");
  await Promise.all([first, catchingUp, log.add([note("three")])]);
  await others("one more");
  await log.add([note("four")]);
  await Promise.all(appended);
  expect(appended).toHaveLength(1);
  const stored = await Array.fromAsync(store.read("s"));
  expect(stored).toHaveLength(7);
  expect(seen).toEqual(stored);
});

it("E2 an append at the tip whose key was taken in the meantime is decided again, and refused if it was taken before", async () => {
  const keyed = { ...note("once"), key: "probe:once" };
  // A store that looks at keys before it looks at the end of the log.
  const { log, others } = await opened((inner) => ({
    ...inner,
    append: (sessionId, events, { afterSeq: _, ...options }) => inner.append(sessionId, events, options),
  }));
  await others("a message that came");
  await log.add([keyed]);
  expect(await log.appendAtTip([keyed], { seq: 1 })).toBe(false);
  await expect(log.appendAtTip([keyed])).rejects.toMatchObject({ code: "key_taken" });
});

it.each([
  ["other events", (rows: readonly StoredEvent[]) => rows.map((row) => ({ ...row, type: "user_message" }))],
  ["other keys", (rows: readonly StoredEvent[]) => rows.map((row) => ({ ...row, key: "message:m" }))],
  ["fewer rows", (rows: readonly StoredEvent[]) => rows.slice(1)],
  ["more rows", (rows: readonly StoredEvent[]) => [...rows, ...rows]],
  ["no rows", () => []],
])(
  "E2 L3 a store that returns %s for an append has not stored it, and the leg is fenced",
  async (_, other) => {
    const { log, seen } = await opened((inner) => ({
      ...inner,
      append: async (...args) => other(await inner.append(...args)) as StoredEvent[],
    }));
    await expect(log.add([note("a"), note("b")])).rejects.toMatchObject({ code: "fenced" });
    await expect(log.add([note("c")])).rejects.toMatchObject({ code: "fenced" });
    expect(seen).toEqual([]);
    expect(log.state.lastSeq).toBe(0);
  },
);

it.each([
  ["an append", (log: SessionLog) => log.add([note("x")])],
  ["an append of its own", (log: SessionLog) => log.appendAtTip([note("x")], { seq: 0 })],
  ["a look", (log: SessionLog) => log.catchUp()],
])("E2 %s of a store that fails at once fails alone", async (_, work) => {
  let fails = true;
  const failing = () => {
    if (fails) throw new PawlError("store_unavailable", "no connection");
  };
  const { log } = await opened((inner) => ({
    ...inner,
    append: (...args) => {
      failing();
      return inner.append(...args);
    },
    read: (...args) => {
      failing();
      return inner.read(...args);
    },
  }));
  await expect(work(log)).rejects.toThrow("no connection");
  fails = false;
  await log.add([note("again")]);
  expect(log.state.lastSeq).toBe(1);
});

it("E2 an append that cannot be prepared is refused alone: the log stores the next ones", async () => {
  const { store, log } = await opened(undefined, (events) => {
    if (events.some(({ data }) => (data as { text?: string }).text === "bad")) throw new Error("no content");
    return events;
  });
  await expect((async () => await log.add([note("bad")]))()).rejects.toThrow("no content");
  await expect((async () => await log.appendAtTip([note("bad")]))()).rejects.toThrow("no content");
  expect(await log.appendAtTip([note("good")])).toBe(true);
  expect(await Array.fromAsync(store.read("s"))).toHaveLength(1);
});
