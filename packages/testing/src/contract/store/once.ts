import assert from "node:assert/strict";
import { type Check, note, range, rejection, texts } from "../base/bench.ts";

/** Checks that things happen once, and that readers may start at any time. */
export const onceChecks: readonly Check[] = [
  {
    name: "E2 of thirty tries to store a client's message one is stored, under any append ids",
    async run({ append, events, session }) {
      const id = await session();
      const tries = await Promise.allSettled(
        range(1, 30).map((turn) =>
          append(id, [note("hello", "message:m1")], { appendId: `from client ${turn % 10}` }),
        ),
      );
      const [event] = await events(id);
      assert.equal((await events(id)).length, 1);
      for (const one of tries)
        if (one.status === "fulfilled") assert.deepEqual(one.value, [event]);
        else {
          const error = await rejection(Promise.reject(one.reason), "key_taken");
          assert.deepEqual(error.details.event, event);
        }
      assert.equal(tries.filter(({ status }) => status === "fulfilled").length, 3);
    },
  },
  {
    name: "L9 E2 of two legs that bring the same results, one with a stale lease, each result is stored once",
    async run({ acquire, append, events, session, wait }) {
      const id = await session();
      const stale = await acquire(id, "first", 1);
      await wait(20);
      const lease = await acquire(id, "second", 60_000);
      const keys = range(1, 12).map((call) => `result:1:${call}`);
      const settled = await Promise.allSettled(
        keys.flatMap((key) => [
          append(id, [note("stale", key)], { lease: stale }),
          append(id, [note("current", key)], { lease }),
          append(id, [note("current", key)], { lease }),
        ]),
      );
      assert.equal(settled.filter(({ status }) => status === "fulfilled").length, keys.length);
      const read = await events(id);
      assert.deepEqual(new Set(read.map(({ key }) => key)), new Set(keys));
      assert.deepEqual(
        texts(read),
        keys.map(() => "current"),
      );
    },
  },
  {
    name: "E2 an append whose acknowledgement was lost can be repeated while others append",
    async run({ append, events, session }) {
      const id = await session();
      await Promise.all(
        range(1, 12).map(async (caller) => {
          const batch = range(1, 1 + (caller % 3)).map((place) => note(`${caller}:${place}`));
          const appendId = `append ${caller}`;
          const [first, again] = await Promise.all([
            append(id, batch, { appendId }),
            append(id, batch, { appendId }),
          ]);
          assert.deepEqual(again, first);
          assert.deepEqual(await append(id, batch, { appendId }), first);
        }),
      );
      assert.equal((await events(id)).length, 24);
    },
  },
  {
    name: "E2 a reader may begin at any event, while others append, and misses and repeats nothing",
    async run({ append, events, session }) {
      const id = await session();
      const total = 40;
      const writing = Promise.all(
        range(1, total / 2).map((turn) => append(id, [note(`${turn}`), note("more")])),
      );
      const reading = range(0, total).map(async (cursor) => {
        const seen: number[] = [];
        while (cursor + seen.length < total)
          for (const { seq } of await events(id, { afterSeq: seen.at(-1) ?? cursor })) seen.push(seq);
        assert.deepEqual(seen, range(cursor + 1, total));
      });
      await Promise.all([writing, ...reading]);
      for (const limit of [1, 7, total]) {
        const paged: number[] = [];
        for (let page = await events(id, { limit }); page.length > 0; ) {
          paged.push(...page.map(({ seq }) => seq));
          page = await events(id, { afterSeq: paged.at(-1) ?? 0, limit });
        }
        assert.deepEqual(paged, range(1, total));
      }
    },
  },
  {
    name: "E2 times are in UTC with milliseconds and rise with seq, also among concurrent appends",
    async run({ append, events, row, session }) {
      const id = await session();
      await Promise.all(range(1, 20).map((turn) => append(id, [note(`${turn}`)])));
      const times = (await events(id)).map(({ at }) => at);
      for (const at of times) assert.match(at, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
      assert.deepEqual(times, times.toSorted());
      assert.equal((await row(id)).updatedAt, times.at(-1));
    },
  },
];
