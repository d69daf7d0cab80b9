import { expect, it } from "vitest";
import { type EventStore, memoryStore, type StoredEvent } from "../../src/index.ts";
import { readPages } from "../../src/store.ts";
import { countedTurns } from "../support/counted-turns.ts";

const EVENTS = 5_000;

/** A store with a session of many events. */
async function longLog(): Promise<EventStore> {
  const store = memoryStore();
  await store.sessions.create({ id: "s", userId: "u1", agent: "tester" });
  const events = Array.from({ length: EVENTS }, () => ({ type: "note" as const, data: { text: "n" } }));
  await store.append("s", events, { appendId: "a" });
  return store;
}

it.each<[string, (store: EventStore) => AsyncIterable<StoredEvent>]>([
  ["memory", (store) => store.read("s")],
  [
    "a database that answers at once",
    (store) => readPages((afterSeq, limit) => Array.fromAsync(store.read("s", { afterSeq, limit }))),
  ],
])("B8 reading a long log from %s gives way to other work", async (_, read) => {
  const store = await longLog();
  const turns = countedTurns();
  let count = 0;
  for await (const _event of read(store)) {
    count += 1;
    turns.count();
  }
  expect(turns.most()).toBeLessThanOrEqual(1_250);
  expect(count).toBe(EVENTS);
});
