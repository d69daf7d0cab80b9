import { describe, expect, it, vi } from "vitest";
import {
  type EventStore,
  type Json,
  memoryBlobs,
  memoryStore,
  PawlError,
  systemClock,
  withBlobs,
} from "../../src/index.ts";
import { retryingStore } from "../../src/runtime/make-host.ts";
import { type BlobStore, EVENT_VERSION, type NewEvent } from "../../src/store.ts";
import { all } from "../support/logs.ts";
import { failingStore } from "../support/stores.ts";

const long = (text: string, length = 300) => text.padEnd(length, ".");
const note = (text: string, key?: string): NewEvent => ({
  type: "note",
  data: { text },
  ...(key !== undefined && { key }),
});
const reference = { $blob: expect.stringMatching(/^[0-9a-f]{64}$/), bytes: expect.any(Number) };
const data = (events: readonly NewEvent[]) => events.map((event) => event.data);

/** A log with blobs above 100 bytes and one session, what lies below, and what was done to it, in order. */
async function below(aboveBytes = 100) {
  const log = memoryStore();
  const kept = memoryBlobs();
  const done: string[] = [];
  const blobs: BlobStore = {
    put: async (sessionId, id, text) => {
      await kept.put(sessionId, id, text);
      done.push("put");
    },
    get: async (sessionId, id) => {
      done.push("get");
      return await kept.get(sessionId, id);
    },
  };
  const append: EventStore["append"] = async (...args) => {
    done.push("append");
    return await log.append(...args);
  };
  const store = withBlobs({ ...log, append }, blobs, { aboveBytes });
  await log.sessions.create({ id: "s", userId: "u", agent: "a" });
  return { log, blobs, kept, done, store };
}

/** The id of the first blob that the log names. */
async function named(log: EventStore): Promise<string> {
  for (const { data } of await all(log, "s")) {
    if ("$blob" in (data as object)) return (data as unknown as { $blob: string }).$blob;
  }
  throw new Error("no blob");
}

describe("E2 a payload above the limit", () => {
  it("is a blob that was put before its event; the envelope and small payloads stay in the log", async () => {
    const { log, done, store } = await below();
    const events = [note("small", "k1"), { ...note(long("large"), "k2"), durationMs: 5 }];
    const stored = await store.append("s", events, { appendId: "1" });
    expect(done).toEqual(["put", "append"]);
    expect(data(stored)).toEqual([{ text: "small" }, { text: long("large") }]);
    expect(await all(log, "s")).toMatchObject([
      { seq: 1, type: "note", key: "k1", data: { text: "small" } },
      {
        seq: 2,
        type: "note",
        key: "k2",
        v: EVENT_VERSION,
        durationMs: 5,
        data: { $blob: reference.$blob, bytes: 311 },
      },
    ]);
    expect(await all(store, "s")).toEqual(stored);
    expect(done).toEqual(["put", "append", "get"]);
  });

  it("counts in bytes of its JSON, and 256,000 are not above the limit", async () => {
    const { log } = await below();
    const store = withBlobs(log, memoryBlobs());
    const fits = 256_000 - JSON.stringify({ text: "" }).length;
    const payloads = ["x".repeat(fits), "x".repeat(fits + 1), "ü".repeat(fits / 2), "ü".repeat(fits / 2 + 1)];
    const text = "x".repeat(256_000);
    const odd = [
      { text: "\0".repeat(50_000) },
      Array.from({ length: 90_000 }, () => []),
      { at: { toJSON: () => text } },
    ];
    const more = odd.map((value) => ({ type: "a.b", data: value }) as unknown as NewEvent);
    const events = [...payloads.map((text) => note(text)), ...more];
    await store.append("s", events, { appendId: "1" });
    const slim = (await all(log, "s")).map(({ data }) => "$blob" in (data as object));
    expect(slim).toEqual([false, true, false, true, true, true, true]);
    expect(data(await all(store, "s"))).toEqual(JSON.parse(JSON.stringify(data(events))));
  });

  it("that is a cycle or nested too deeply is invalid_input", async () => {
    const store = withBlobs((await below()).log, memoryBlobs());
    const cycle: unknown[] = [];
    cycle.push(cycle);
    let deep: unknown[] = [];
    for (let depth = 0; depth < 50_000; depth += 1) deep = [deep];
    for (const data of [cycle, deep]) {
      const append = store.append("s", [{ type: "a.b", data: data as Json }], { appendId: "1" });
      await expect(append).rejects.toMatchObject({ code: "invalid_input" });
    }
  });

  it("is written and put once where a batch has it twice, and once more in another session", async () => {
    const { log, kept, done, store } = await below();
    await log.sessions.create({ id: "other", userId: "u", agent: "a" });
    await store.append("s", [note(long("same")), note(long("same"))], { appendId: "1" });
    expect(done).toEqual(["put", "append"]);
    const id = await named(log);
    expect(await kept.get("other", id)).toBeUndefined();
    await store.append("other", [note(long("same"))], { appendId: "1" });
    expect(await kept.get("other", id)).toBe(await kept.get("s", id));
  });

  it("is written as JSON once, and a small one not at all to see that it is small", async () => {
    const { store } = await below(10_000);
    const stringify = vi.spyOn(JSON, "stringify");
    try {
      await store.append("s", [note(long("small", 1_000))], { appendId: "1" });
      expect(stringify).not.toHaveBeenCalled();
      await store.append("s", [note(long("large", 10_000))], { appendId: "2" });
      expect(stringify.mock.calls.map(([data]) => Object.keys(data))).toEqual([["text"]]);
    } finally {
      stringify.mockRestore();
    }
  });
});

describe("E2 a payload that looks like a reference", () => {
  it.each([
    ["in full", { $blob: "0".repeat(64), bytes: 1 }],
    ["with a field that JSON leaves out", { $blob: "0".repeat(64), bytes: 1, gone: undefined }],
    ["as JSON only", { toJSON: () => ({ $blob: "0".repeat(64), bytes: 1 }) }],
    ["nearly", { $blob: 1 }],
  ])("%s comes back as it was", async (_how, data) => {
    const { store } = await below();
    await store.append("s", [note(long("other"))], { appendId: "0" });
    const [stored] = await store.append("s", [{ type: "a.b", data: data as never }], { appendId: "1" });
    expect(stored?.data).toEqual(JSON.parse(JSON.stringify(data)));
    expect((await all(store, "s"))[1]).toEqual(stored);
  });

  it("and was stored before there were blobs is read as it is", async () => {
    const { log, store } = await below();
    const ours = { $blob: "0".repeat(64), bytes: 1 };
    const payloads: Json[] = [
      { ...ours, more: 1 },
      { ...ours, bytes: "1" },
      { ...ours, $blob: "0" },
      { $blob: [] },
    ];
    const events = payloads.map((data): NewEvent => ({ type: "a.b", data }));
    await log.append("s", events, { appendId: "1" });
    expect(data(await all(store, "s"))).toEqual(payloads);
  });

  it("cannot name the blob of another event", async () => {
    const { log, store } = await below();
    await store.append("s", [note(long("mine"))], { appendId: "0" });
    const forged = (await all(log, "s"))[0]?.data as never;
    const [stored] = await store.append("s", [{ type: "a.b", data: forged }], { appendId: "1" });
    expect(stored?.data).toEqual(forged);
  });
});

describe("E2 a crash or failure around a blob", () => {
  it("between blob and append leaves a blob that no event refers to; the repeated append stores once", async () => {
    const { log, kept, blobs } = await below();
    let dies = true;
    const dying = failingStore(log, () => dies);
    const store = withBlobs(dying, blobs, { aboveBytes: 100 });
    const batch = [note("small"), note(long("large"))];
    await expect(store.append("s", batch, { appendId: "1" })).rejects.toMatchObject({
      code: "store_unavailable",
    });
    expect(await all(log, "s")).toEqual([]);
    dies = false;
    await store.append("s", batch, { appendId: "1" });
    expect(data(await all(store, "s"))).toEqual([{ text: "small" }, { text: long("large") }]);
    expect(await kept.get("s", await named(log))).toBe(JSON.stringify({ text: long("large") }));
  });

  it("that loses an append's acknowledgement is fixed by repeating the append, also by the retries", async () => {
    const { log, blobs } = await below();
    let lost = 2;
    const deaf: EventStore = {
      ...log,
      append: async (...args) => {
        const rows = await log.append(...args);
        if (lost-- > 0) throw new PawlError("store_unavailable", "Nobody was told.");
        return rows;
      },
    };
    const store = retryingStore(withBlobs(deaf, blobs, { aboveBytes: 100 }), [0, 0], systemClock);
    const stored = await store.append("s", [note(long("large"))], { appendId: "1" });
    expect(data(stored)).toEqual([{ text: long("large") }]);
    expect(await all(store, "s")).toEqual(stored);
    expect(lost).toBe(-1);
    // The rows of the first time, whatever is sent under its id again.
    expect(await store.append("s", [note("other")], { appendId: "1" })).toEqual(stored);
  });

  it("of the blob store is store_unavailable with its cause, is tried again, and stores no event", async () => {
    const { log, kept } = await below();
    const cause = new Error("no such bucket");
    let failures = 2;
    const failing: BlobStore = {
      ...kept,
      put: async (...args) => {
        if (failures-- > 0) throw cause;
        await kept.put(...args);
      },
    };
    const store = withBlobs(log, failing, { aboveBytes: 100 });
    const append = (inner: EventStore) => inner.append("s", [note(long("large"))], { appendId: "1" });
    await expect(append(store)).rejects.toMatchObject({ code: "store_unavailable", cause });
    expect(await all(log, "s")).toEqual([]);
    expect(data(await append(retryingStore(store, [0], systemClock)))).toEqual([{ text: long("large") }]);
  });

  it.each([
    ["missing", () => undefined],
    ["damaged", (text: string) => text.replace("large", "LARGE")],
    ["empty", () => ""],
  ])("a blob that is %s is an error that names the event, wherever it is read", async (_what, change) => {
    const { log, kept, store } = await below();
    await store.append("s", [note("before"), note(long("large"), "key")], { appendId: "1" });
    const blob = await named(log);
    const get: BlobStore["get"] = async (...args) => change((await kept.get(...args)) ?? "");
    const broken = withBlobs(log, { ...kept, get }, { aboveBytes: 100 });
    const lost = { code: "store_unavailable", details: { sessionId: "s", seq: 2, blob } };
    await expect(all(broken, "s")).rejects.toMatchObject(lost);
    await expect(
      broken.append("s", [note("before"), note("x", "key")], { appendId: "1" }),
    ).rejects.toMatchObject(lost);
    await expect(broken.append("s", [note("x", "key")], { appendId: "2" })).rejects.toMatchObject(lost);
    // What does not need it is not held up.
    expect(data(await Array.fromAsync(broken.read("s", { limit: 1 })))).toEqual([{ text: "before" }]);
    await broken.append("s", [note("after")], { appendId: "3" });
    // Who repeats the append brings the payload along.
    const whole = await broken.append("s", [note("before"), note(long("large"), "key")], {
      appendId: "1",
    });
    expect(whole[1]?.data).toEqual({ text: long("large") });
  });

  it("a batch that cannot be stored puts nothing", async () => {
    const { done, store } = await below();
    const twice = [note(long("a"), "k"), note(long("b"), "k")];
    await expect(store.append("s", twice, { appendId: "1" })).rejects.toMatchObject({
      code: "invalid_input",
    });
    expect(done).toEqual([]);
  });

  it("changing a batch while its blobs are put changes nothing stored", async () => {
    const { store } = await below();
    const small = { text: "small", list: [1] };
    const batch: NewEvent[] = [{ type: "a.b", data: small }, note(long("large"))];
    const appending = store.append("s", batch, { appendId: "1" });
    small.text = "changed";
    small.list.push(2);
    (batch[1] as { key?: string }).key = "late";
    batch.pop();
    const stored = await appending;
    expect(data(stored)).toEqual([{ text: "small", list: [1] }, { text: long("large") }]);
    expect(stored[1]?.key).toBeUndefined();
  });
});
