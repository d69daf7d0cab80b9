import assert from "node:assert/strict";
import type { StoredEvent } from "@pawl/core";
import { type Check, note, range, rejection, texts } from "../base/bench.ts";

/** Checks of the conditions of an append (session, `afterSeq`, keys) and of their order. */
export const conditionChecks: readonly Check[] = [
  {
    name: "E2 an unknown session is not_found",
    async run({ append, store }) {
      const lease = { sessionId: "nowhere", holder: "leg", epoch: 1 };
      await rejection(append("nowhere", [note("a")]), "not_found");
      await rejection(append("nowhere", [note("a")], { lease, afterSeq: 3 }), "not_found");
      await rejection(store.acquire("nowhere", "leg", 1_000), "not_found");
      assert.equal(await store.sessions.get("nowhere"), undefined);
    },
  },
  {
    name: "E2 afterSeq lets an append through at the end of the log only and says where the end is",
    async run({ append, events, session }) {
      const id = await session();
      await append(id, [note("a")], { afterSeq: 0 });
      await append(id, [note("b"), note("c")], { afterSeq: 1 });
      for (const afterSeq of [0, 2, 4, 100]) {
        const error = await rejection(append(id, [note("x")], { afterSeq }), "conflict");
        assert.equal(error.details.lastSeq, 3);
      }
      await append(id, [note("d")], { afterSeq: 3 });
      assert.deepEqual(texts(await events(id)), ["a", "b", "c", "d"]);
    },
  },
  {
    name: "E2 of twenty concurrent appends after the same event exactly one wins",
    async run({ append, events, session }) {
      const id = await session();
      await append(id, [note("start")]);
      const settled = await Promise.allSettled(
        range(1, 20).map((caller) => append(id, [note(`${caller}`)], { afterSeq: 1 })),
      );
      const won = settled.filter((result) => result.status === "fulfilled");
      assert.equal(won.length, 1);
      for (const result of settled)
        if (result.status === "rejected") {
          const error = await rejection(Promise.reject(result.reason), "conflict");
          assert.equal(error.details.lastSeq, 2);
        }
      assert.deepEqual((await events(id)).slice(1), won[0]?.value);
    },
  },
  {
    name: "E2 a taken key refuses the whole batch and gives the event that holds it",
    async run({ append, events, session }) {
      const id = await session();
      const [, winner] = await append(id, [note("a"), note("b", "answer:1:c")]);
      await append(id, [note("between")]);
      const refused = append(id, [note("x", "answer:1:d"), note("y", "answer:1:c")]);
      const error = await rejection(refused, "key_taken");
      assert.deepEqual(error.details.event, winner);
      assert.equal(winner?.key, "answer:1:c");
      assert.deepEqual(texts(await events(id)), ["a", "b", "between"]);
      await append(id, [note("x", "answer:1:d")]);
    },
  },
  {
    name: "E2 of several taken keys, the first one in the append is named, whichever was stored first",
    async run({ append, session }) {
      const id = await session();
      await append(id, [note("a", "answer:1:a")]);
      const [second] = await append(id, [note("b", "answer:1:b")]);
      const refused = append(id, [note("x", "answer:1:b"), note("y", "answer:1:a")]);
      const { details } = await rejection(refused, "key_taken");
      assert.deepEqual(details, { key: "answer:1:b", event: second });
    },
  },
  {
    name: "E2 of twenty concurrent appends of one key exactly one wins, and the others get its event",
    async run({ append, events, session }) {
      const id = await session();
      const settled = await Promise.allSettled(
        range(1, 20).map((caller) =>
          append(id, [note("before"), note(`${caller}`, "result:1:c")], { session: { addPending: -1 } }),
        ),
      );
      const won = settled.filter((result) => result.status === "fulfilled");
      assert.equal(won.length, 1);
      const winner: StoredEvent | undefined = won[0]?.value[1];
      for (const result of settled)
        if (result.status === "rejected") {
          const error = await rejection(Promise.reject(result.reason), "key_taken");
          assert.deepEqual(error.details.event, winner);
        }
      assert.deepEqual((await events(id))[1], winner);
      assert.equal((await events(id)).length, 2);
    },
  },
  {
    name: "E2 a key is unique within its session only, and events without one never collide",
    async run({ append, session }) {
      const one = await session();
      const other = await session();
      await append(one, [note("a", "end:run"), note("b"), note("c")]);
      const [event] = await append(other, [note("a", "end:run")]);
      assert.equal(event?.key, "end:run");
    },
  },
  {
    name: "E2 looks at the lease first, then at the place, then at keys",
    async run({ acquire, append, session }) {
      const id = await session();
      await append(id, [note("a", "taken")]);
      const lease = await acquire(id, "leg", 60_000);
      const stale = { ...lease, epoch: lease.epoch - 1 };
      const bad = [note("b", "taken")];
      await rejection(append(id, bad, { lease: stale, afterSeq: 0 }), "fenced");
      await rejection(append(id, bad, { lease: stale }), "fenced");
      await rejection(append(id, bad, { lease, afterSeq: 0 }), "conflict");
      await rejection(append(id, bad, { lease, afterSeq: 1 }), "key_taken");
    },
  },
];
