import { describe, expect, it } from "vitest";
import { type EventStore, memoryStore, PawlError, type SessionEvent } from "../src/index.ts";
import { setup } from "./support/setup.ts";

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

  it("is shown nothing more once it is gone, wherever it is", async () => {
    const { pawl } = setup([], {}, { store: await written() });
    const gone = new AbortController();
    const events: SessionEvent[] = [];
    for await (const event of pawl.follow("s", { signal: gone.signal })) {
      events.push(event);
      if (events.length === 70) gone.abort();
    }
    expect(seqs(events)).toHaveLength(70);
  });

  it("is shown what was read before the store failed, and goes on from there", async () => {
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
