import { describe, expect, it } from "vitest";
import * as z from "zod";
import { changedEvents } from "../../../../test/support/changed-events.ts";
import { eachWay } from "../../../../test/support/each-way.ts";
import { assertSoundLog } from "../../../../test/support/invariants.ts";
import {
  type EventStore,
  memoryBlobs,
  memoryStore,
  readShown,
  type StoredEvent,
  tool,
  withBlobs,
} from "../../src/index.ts";
import { type BlobStore, EVENT_VERSION } from "../../src/store.ts";
import { all } from "../support/logs.ts";
import { setup, user } from "../support/setup.ts";

const data = (events: readonly StoredEvent[]) => events.map((event) => event.data);

const fetch = tool({
  name: "fetch",
  description: "Fetches.",
  input: z.object({}),
  execute: () => "page ".repeat(60_000),
});
const script = [
  { thinking: "Hm.", tools: [{ name: "fetch", id: "toolu_1" }] },
  { text: "Read." },
  { text: "Again." },
];

describe("C12 a run over blobs", () => {
  async function begun(blobs: BlobStore | undefined = memoryBlobs()) {
    const store = memoryStore();
    const world = setup(script, { tools: [fetch] }, { store, ...(blobs && { blobs }) });
    const { sessionId } = await world.say("Go");
    const whole = async (id = sessionId) => await all(world.pawl.store, id);
    const slim = async (id = sessionId) =>
      (await all(store, id)).filter(({ data }) => "$blob" in (data as object)).map(({ type }) => type);
    return { world, store, blobs, sessionId, whole, slim };
  }

  it("keeps what is above 256 kB out of the log, and the next run, the view and a fork have it whole", async () => {
    const { world, sessionId, slim, whole } = await begun();
    expect(await slim()).toEqual(["tool_result"]);
    const { actions, stop } = await world.say("Again", { sessionId });
    expect([stop.type, actions]).toEqual(["end_turn", []]);
    expect(world.model.rejected).toEqual([]);
    assertSoundLog(await whole());
    const log = await whole();
    expect(log.find(({ type }) => type === "tool_result")?.data).toMatchObject({
      result: "page ".repeat(60_000),
    });
    const followed = await Array.fromAsync(world.pawl.follow(sessionId, { untilIdle: true }));
    expect(followed).toContainEqual(log.find(({ type }) => type === "tool_result"));

    const fork = await world.pawl.fork(sessionId, user);
    expect(await slim(fork.id)).toEqual(["tool_result"]);
    expect(data(await whole(fork.id))).toEqual(data(log));
  });

  it("is refused by a runtime without the blob store, before anything is stored or sent", async () => {
    const { store, sessionId } = await begun();
    const before = await all(store, sessionId);
    const world = setup([{ text: "never" }], { tools: [fetch] }, { store });
    await expect(world.say("Again", { sessionId })).rejects.toMatchObject({ code: "store_unavailable" });
    expect(world.model.requests).toEqual([]);
    expect(await all(store, sessionId)).toEqual(before);
  });

  it("without a blob store has all of it in the log", async () => {
    const store = memoryStore();
    const world = setup(script, { tools: [fetch] }, { store });
    const { sessionId } = await world.say("Go");
    expect(JSON.stringify(await all(store, sessionId)).length).toBeGreaterThan(300_000);
  });

  it.each(eachWay("open"))(
    "can be redacted, then erased: data first, blob after; the fork keeps its own, %s",
    async (_, as) => {
      const { world, store, sessionId } = await begun();
      const fork = await world.pawl.fork(sessionId, user);
      const result = (await all(world.pawl.store, sessionId)).find(({ type }) => type === "tool_result");
      await world.pawl.redact(sessionId, result?.seq ?? 0, user);
      const shown = await Array.fromAsync(readShown(world.pawl.store, sessionId));
      expect(JSON.stringify(shown)).not.toContain("page");

      // As SQL does it: `data` becomes what is shown, and the blob is deleted.
      const erased = shown[(result?.seq ?? 0) - 1];
      const gone = changedEvents(store, (event) =>
        event.sessionId === sessionId && event.seq === erased?.seq ? erased : event,
      );
      const erasing = { store: as(gone), blobs: memoryBlobs() };
      const later = setup([{ text: "Still here." }], { tools: [fetch] }, erasing);
      const { stop } = await later.say("And now?", { sessionId });
      expect(stop.type).toBe("end_turn");
      expect(later.model.rejected).toEqual([]);
      expect(JSON.stringify(await all(world.pawl.store, fork.id))).toContain("page page");
    },
  );

  it.each(eachWay("open"))("converts old events from blobs to the current version, %s", async (_, as) => {
    const { store, blobs } = await begun();
    await store.sessions.create({ id: "old", userId: "u1", agent: "tester" });
    const input = withBlobs(store, blobs, { aboveBytes: 0 });
    await input.append("old", [{ type: "user_message", data: { text: "First" } as never }], {
      appendId: "1",
    });
    const old = as(changedEvents(store, (event) => ({ ...event, v: 0 })));
    const upcasters = { user_message: { 0: ({ text }: { text: string }) => ({ message: text }) } };
    const { pawl, say, model } = setup([{ text: "Ok." }], {}, { store: old, upcasters, blobs });
    expect(await all(pawl.store, "old")).toMatchObject([{ v: EVENT_VERSION, data: { message: "First" } }]);
    expect((await say("Second", { sessionId: "old" })).text).toBe("Ok.");
    expect(JSON.stringify(model.requests[0]?.messages)).toContain("First");
  });

  it.each(eachWay("open"))(
    "works over a store and a blob store that are instances of classes, %s",
    async (_, as) => {
      const inner = as(memoryStore());
      class Store implements EventStore {
        readonly sessions = inner.sessions;
        readonly open = inner.open;
        append(...args: Parameters<EventStore["append"]>) {
          return inner.append(...args);
        }
        read(...args: Parameters<EventStore["read"]>) {
          return inner.read(...args);
        }
        acquire(...args: Parameters<EventStore["acquire"]>) {
          return inner.acquire(...args);
        }
        renew(...args: Parameters<EventStore["renew"]>) {
          return inner.renew(...args);
        }
        release(...args: Parameters<EventStore["release"]>) {
          return inner.release(...args);
        }
        listRecoverable(...args: Parameters<EventStore["listRecoverable"]>) {
          return inner.listRecoverable(...args);
        }
      }
      class Blobs implements BlobStore {
        readonly #texts = new Map<string, string>();
        async put(sessionId: string, id: string, text: string) {
          this.#texts.set(sessionId + id, text);
        }
        async get(sessionId: string, id: string) {
          return this.#texts.get(sessionId + id);
        }
      }
      for (const options of [{ store: new Store() }, { store: new Store(), blobs: new Blobs() }]) {
        const world = setup(script, { tools: [fetch] }, options);
        expect((await world.say("Go")).stop.type).toBe("end_turn");
      }
    },
  );
});
