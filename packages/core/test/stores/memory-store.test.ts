import { eventStoreContract } from "@pawl/testing";
import { describe, expect, it, vi } from "vitest";
import { processorTime } from "../../../../test/support/processor-time.ts";
import type { StoredEvent } from "../../src/log/event.ts";
import { memoryStore } from "../../src/stores/memory-store.ts";

describe("memoryStore", () => {
  for (const { name, run } of eventStoreContract(async () => ({ store: memoryStore() }))) it(name, run);
});

describe("payloads in memoryStore", () => {
  const shared = { a: 1 };
  const odd: { [what: string]: unknown } = {
    "what JSON drops": { a: undefined, b: () => 1, c: Symbol("s"), d: [undefined, () => 1, Symbol("s")] },
    numbers: [0, -0, 1.5, -1e-7, Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY],
    "what speaks for itself": {
      at: new Date(0),
      url: new URL("http://a.b/"),
      own: { toJSON: () => ({ x: 1 }) },
    },
    "what is no literal": [
      new Map([[1, 2]]),
      new Set([1]),
      new (class A {
        b = 1;
      })(),
      Object.create({ c: 1 }),
    ],
    "what has no prototype": Object.assign(Object.create(null), { a: [null] }),
    "boxes and bytes": [Object("a"), Object(1), Object(false), new Uint8Array([1, 2])],
    holes: Array(3),
    "names that mean something": JSON.parse('{"__proto__":{"a":1},"constructor":2,"toJSON":3}'),
    "the same twice": [shared, shared],
    "half a pair": { text: "\ud800" },
    nothing: undefined,
  };

  it.each(Object.entries(odd))("E2 %s: stored as its JSON, frozen", async (_what, data) => {
    const store = memoryStore();
    await store.sessions.create({ id: "s", userId: "u", agent: "a" });
    const [stored] = await store.append("s", [{ type: "a.b", data: data as never }], { appendId: "1" });
    const text = JSON.stringify(data) ?? "null";
    expect(JSON.stringify(stored?.data)).toBe(text);
    expect(stored?.data).toStrictEqual(JSON.parse(text));
    const frozen = (value: unknown): boolean =>
      Object.isFrozen(value) &&
      (typeof value !== "object" || value === null || Object.values(value).every(frozen));
    expect(frozen(stored)).toBe(true);
  });
});

describe("memoryStore under an injected clock", () => {
  const make = async () => {
    let now = Date.UTC(2026, 0, 1);
    const advance = (ms: number): void => {
      now += ms;
    };
    return { store: memoryStore({ now: () => now }), advance };
  };

  for (const { name, run } of eventStoreContract(make)) it(name, run);

  it("E2 stamps events and sessions by that clock, and never backwards", async () => {
    const { store, advance } = await make();
    const session = await store.sessions.create({ id: "s", userId: "u", agent: "a" });
    expect(session.createdAt).toBe("2026-01-01T00:00:00.000Z");
    advance(1_500);
    const [first] = await store.append("s", [{ type: "note", data: { text: "a" } }], { appendId: "1" });
    advance(-10_000);
    const [second] = await store.append("s", [{ type: "note", data: { text: "b" } }], { appendId: "2" });
    expect([first?.at, second?.at]).toEqual(["2026-01-01T00:00:01.500Z", "2026-01-01T00:00:01.500Z"]);
  });

  it("E2 a lease lasts exactly its time", async () => {
    const { store, advance } = await make();
    await store.sessions.create({ id: "s", userId: "u", agent: "a" });
    await store.acquire("s", "one", 1_000);
    advance(999);
    expect(await store.acquire("s", "two", 1_000)).toBeUndefined();
    advance(1);
    expect(await store.acquire("s", "two", 1_000)).toMatchObject({ holder: "two", epoch: 2 });
  });
});

describe("memoryStore's speed", () => {
  it("E2 an append to a long log costs what the first one cost", async () => {
    const store = memoryStore();
    await store.sessions.create({ id: "s", userId: "u", agent: "a" });
    const fill = async (from: number): Promise<number> => {
      const spentMs = processorTime();
      for (let turn = from; turn < from + 20_000; turn += 1)
        await store.append("s", [{ type: "note", data: { text: "x" } }], { appendId: `${turn}` });
      return spentMs();
    };
    await fill(0);
    const early = await fill(20_000);
    await fill(40_000);
    const late = await fill(60_000);
    expect(late).toBeLessThan(early * 10 + 200);
    const tail: StoredEvent[] = [];
    const spentMs = processorTime();
    for (let turn = 0; turn < 1_000; turn += 1)
      for await (const event of store.read("s", { afterSeq: 79_999 })) tail.push(event);
    expect(tail).toHaveLength(1_000);
    expect(spentMs()).toBeLessThan(1_000);
  });
});

it("E1 stores the time as Date writes it, whatever the millisecond", async () => {
  let ms = 0;
  const store = memoryStore({ now: () => ms });
  await store.sessions.create({ id: "times", userId: "u", agent: "a" });
  const times = [
    0, 1, 999, 1_000, 1_795_339_799_007, 1_795_339_799_070, 1_795_339_800_000, 253_402_300_800_123,
  ];
  for (ms of times) {
    await store.append("times", [{ type: "note", data: { text: "" } }], { appendId: String(ms) });
  }
  const at = (await Array.fromAsync(store.read("times"))).map((event) => event.at);
  expect(at).toEqual(times.map((time) => new Date(time).toISOString()));
});

it("R5 lists a user's sessions without walking those of others", async () => {
  const store = memoryStore();
  for (let n = 0; n < 100; n += 1)
    await store.sessions.create({ id: `s${n}`, userId: `u${n % 50}`, agent: "a" });
  // All sessions can be reached only through a map.
  const walks = (["values", "entries", "keys", "forEach", Symbol.iterator] as const).map((way) =>
    vi.spyOn(Map.prototype, way as "values"),
  );
  const listed = await store.sessions.list({ userId: "u7" });
  const walked = walks.filter((walk) => walk.mock.calls.length > 0).length;
  for (const walk of walks) walk.mockRestore();
  expect([listed.map(({ id }) => id), walked]).toEqual([["s57", "s7"], 0]);
});
