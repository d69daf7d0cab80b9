import assert from "node:assert/strict";
import { type Check, note, range, rejection, texts } from "../base/bench.ts";

/** Checks of appends whose append id was used before. */
export const idempotencyChecks: readonly Check[] = [
  {
    name: "E2 a repeated append returns the rows of the first time and changes nothing",
    async run({ append, events, row, session }) {
      const id = await session();
      const options = {
        appendId: "once",
        session: { addPending: 1, addCostUsd: 2, metadata: { n: 1 } },
      };
      const first = await append(id, [note("a"), note("b")], options);
      const before = await row(id);
      assert.deepEqual(await append(id, [note("a"), note("b")], options), first);
      assert.deepEqual(await row(id), before);
      assert.deepEqual(await events(id), first);
    },
  },
  {
    name: "E2 a repeated append returns its rows after others came in between, single or batch",
    async run({ append, events, session }) {
      const id = await session();
      const single = await append(id, [note("single")], { appendId: "single" });
      await append(id, [note("x")]);
      const batch = await append(id, [note("b1"), note("b2"), note("b3")], { appendId: "batch" });
      await append(id, [note("y"), note("z")]);
      assert.deepEqual(await append(id, [note("b1"), note("b2"), note("b3")], { appendId: "batch" }), batch);
      assert.deepEqual(await append(id, [note("single")], { appendId: "single" }), single);
      assert.equal((await events(id)).length, 7);
    },
  },
  {
    name: "E2 twenty concurrent appends under one id store once and all get the same rows",
    async run({ append, events, row, session }) {
      const id = await session();
      const all = await Promise.all(
        range(1, 20).map(() =>
          append(id, [note("a", "key"), note("b")], { appendId: "same", session: { addCostUsd: 1 } }),
        ),
      );
      const read = await events(id);
      assert.deepEqual(texts(read), ["a", "b"]);
      for (const rows of all) assert.deepEqual(rows, read);
      assert.equal((await row(id)).costUsd, 1);
    },
  },
  {
    name: "E2 a repeated append counts as done although its lease, place and key are gone since",
    async run({ acquire, append, events, session, store, wait }) {
      const id = await session();
      const lease = await acquire(id, "first leg", 1);
      const options = { appendId: "once", lease, afterSeq: 0, release: true };
      const first = await append(id, [note("a", "key")], options);
      await wait(20);
      const second = await acquire(id, "second leg", 60_000);
      await append(id, [note("b")], { lease: second });
      assert.deepEqual(await append(id, [note("a", "key")], options), first);
      assert.equal((await events(id)).length, 2);
      assert.equal(await store.renew(second, 60_000), true);
    },
  },
  {
    name: "E2 a repeated append id does not save a batch that could never be stored",
    async run({ append, events, session }) {
      const id = await session();
      const stored = await append(id, [note("a", "k")], { appendId: "once" });
      await rejection(append(id, [], { appendId: "once" }), "invalid_input");
      const twice = [note("a", "k"), note("b", "k")];
      await rejection(append(id, twice, { appendId: "once" }), "invalid_input");
      const cycle: { type: "note"; data: { text: never }; key: string } = {
        type: "note",
        data: {} as never,
        key: "k",
      };
      cycle.data.text = cycle.data as never;
      await rejection(append(id, [cycle], { appendId: "once" }), "invalid_input");
      await rejection(append(id, [cycle], { afterSeq: 7 }), "invalid_input");
      assert.deepEqual(await events(id), stored);
    },
  },
  {
    name: "E2 a refused append may be repeated under its id once it fits",
    async run({ append, session }) {
      const id = await session();
      await rejection(append(id, [note("a")], { appendId: "x", afterSeq: 1 }), "conflict");
      await append(id, [note("first")]);
      const [event] = await append(id, [note("a")], { appendId: "x", afterSeq: 1 });
      assert.equal(event?.seq, 2);
    },
  },
  {
    name: "E2 an append under the id of other events is fenced and stores nothing, whatever differs: number, type or key",
    async run({ acquire, append, events, session }) {
      const id = await session();
      const lease = await acquire(id, "leg", 60_000);
      const single = await append(id, [note("a", "key")], { appendId: "single" });
      const batch = await append(id, [note("b1"), note("b2")], { appendId: "batch" });
      const knowledge = { type: "knowledge", data: { source: "s", data: "a" }, key: "key" } as const;
      for (const other of [[note("a")], [note("a", "other")], [note("a", "key"), note("b")], [knowledge]]) {
        await rejection(append(id, other, { appendId: "single" }), "fenced");
        await rejection(append(id, other, { appendId: "single", lease }), "fenced");
      }
      for (const other of [
        [note("b1")],
        [note("b1"), note("b2"), note("b3")],
        [note("b1"), note("b2", "key 2")],
      ])
        await rejection(append(id, other, { appendId: "batch", lease }), "fenced");
      assert.deepEqual(await events(id), [...single, ...batch]);
    },
  },
  {
    name: "E2 the same append id in another session is another append",
    async run({ append, events, session }) {
      const one = await session();
      const other = await session();
      await append(one, [note("a")], { appendId: "same" });
      await append(other, [note("b")], { appendId: "same" });
      assert.deepEqual(texts(await events(other)), ["b"]);
    },
  },
];
