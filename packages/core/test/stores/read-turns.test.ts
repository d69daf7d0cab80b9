import { expect, it } from "vitest";
import { memoryStore } from "../../src/index.ts";
import { readPages } from "../../src/store.ts";
import { countedTurns } from "../support/counted-turns.ts";

const EVENTS = 5_000;

it("B8 reading a long log from a database that answers at once gives way to other work", async () => {
  const database = memoryStore();
  await database.sessions.create({ id: "s", userId: "u1", agent: "tester" });
  const notes = Array.from({ length: EVENTS }, () => ({ type: "note" as const, data: { text: "n" } }));
  await database.append("s", notes, { appendId: "a" });
  const events = readPages((afterSeq, limit) => Array.fromAsync(database.read("s", { afterSeq, limit })));
  const turns = countedTurns();
  let count = 0;
  for await (const _ of events) {
    count += 1;
    turns.count();
  }
  expect(turns.most()).toBeLessThanOrEqual(1_250);
  expect(count).toBe(EVENTS);
});
