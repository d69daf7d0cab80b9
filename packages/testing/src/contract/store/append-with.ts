import assert from "node:assert/strict";
import type { EventStore } from "@pawl/core";
import { type Bench, type Check, note, rejection, texts } from "../base/bench.ts";

type AppendWith = NonNullable<EventStore["appendWith"]>;

/** A check of {@link EventStore.appendWith}. Passes if the store has no such method: it is optional. */
function check(name: string, run: (bench: Bench, appendWith: AppendWith) => Promise<void>): Check {
  return {
    name: `Q1 ${name}`,
    async run(bench) {
      const { store } = bench;
      if (store.appendWith !== undefined) await run(bench, store.appendWith.bind(store));
    },
  };
}

const nothing = async () => undefined;

/** Appends with something else in the same transaction. */
export const appendWithChecks: readonly Check[] = [
  check(
    "appendWith stores events, and gives `also` a transaction",
    async ({ session, events }, appendWith) => {
      const id = await session();
      const given: unknown[] = [];
      const rows = await appendWith(id, [note("a"), note("b")], { appendId: "1" }, async (transaction) => {
        given.push(transaction);
      });
      assert.deepEqual(texts(rows), ["a", "b"]);
      assert.deepEqual(texts(await events(id)), ["a", "b"]);
      assert.ok(given.length > 0 && given.every((transaction) => transaction !== undefined));
    },
  ),
  check(
    "appendWith stores nothing if `also` rejects, and rejects with its error",
    async (bench, appendWith) => {
      const id = await bench.session();
      const failure = new Error("no");
      const also = async () => {
        throw failure;
      };
      await assert.rejects(
        appendWith(id, [note("a")], { appendId: "1" }, also),
        (error) => error === failure,
      );
      assert.deepEqual(await bench.events(id), []);
      const rows = await appendWith(id, [note("b")], { appendId: "1" }, nothing);
      assert.deepEqual(texts(rows), ["b"]);
    },
  ),
  check(
    "appendWith returns the stored events of a repeated append id",
    async ({ session, events }, appendWith) => {
      const id = await session();
      await appendWith(id, [note("a")], { appendId: "1" }, nothing);
      assert.deepEqual(texts(await appendWith(id, [note("a")], { appendId: "1" }, nothing)), ["a"]);
      assert.equal((await events(id)).length, 1);
    },
  ),
  check("appendWith checks the lease and `afterSeq`, and releases the lease", async (bench, appendWith) => {
    const id = await bench.session();
    const lease = await bench.acquire(id, "one", 60_000);
    const other = { ...lease, holder: "two" };
    await rejection(appendWith(id, [note("a")], { appendId: "1", lease: other }, nothing), "fenced");
    await rejection(appendWith(id, [note("a")], { appendId: "2", lease, afterSeq: 3 }, nothing), "conflict");
    await appendWith(id, [note("a")], { appendId: "3", lease, afterSeq: 0, release: true }, nothing);
    await bench.acquire(id, "two", 60_000);
  }),
];
