import assert from "node:assert/strict";
import { type Check, note, range, rejection, texts } from "../base/bench.ts";

/** Checks of numbering, order and atomicity. */
export const orderChecks: readonly Check[] = [
  {
    name: "E2 numbers events from 1 without gaps, over single events and batches",
    async run({ append, events, row, session }) {
      const id = await session();
      assert.equal((await row(id)).lastSeq, 0);
      const first = await append(id, [note("a")]);
      const batch = await append(id, [note("b"), note("c"), note("d")]);
      const last = await append(id, [note("e")]);
      assert.deepEqual(
        [first, batch, last].map((stored) => stored.map((event) => event.seq)),
        [[1], [2, 3, 4], [5]],
      );
      const read = await events(id);
      assert.deepEqual(texts(read), ["a", "b", "c", "d", "e"]);
      assert.deepEqual(read, [...first, ...batch, ...last]);
      assert.equal((await row(id)).lastSeq, 5);
    },
  },
  {
    name: "E2 numbers every session by itself",
    async run({ append, session }) {
      const one = await session();
      const other = await session();
      await append(one, [note("a"), note("b")]);
      const [event] = await append(other, [note("c")]);
      assert.equal(event?.seq, 1);
      assert.equal(event?.sessionId, other);
    },
  },
  {
    name: "E2 numbers concurrent appends without gaps, and loses and reorders nothing",
    async run({ append, events, row, session }) {
      const id = await session();
      const callers = range(1, 40).map((caller) =>
        append(
          id,
          range(0, caller % 4).map((place) => note(`${caller}:${place}`)),
        ),
      );
      const stored = await Promise.all(callers);
      const read = await events(id);
      assert.deepEqual(
        read.map((event) => event.seq),
        range(1, read.length),
      );
      const acknowledged = stored.flat().sort((a, b) => a.seq - b.seq);
      assert.deepEqual(acknowledged, read);
      assert.equal((await row(id)).lastSeq, read.length);
      for (const [index, batch] of stored.entries()) {
        const caller = index + 1;
        assert.deepEqual(
          texts(batch),
          range(0, caller % 4).map((place) => `${caller}:${place}`),
        );
        const start = batch[0]?.seq ?? 0;
        assert.deepEqual(
          batch.map((event) => event.seq),
          range(start, start + batch.length - 1),
        );
      }
    },
  },
  {
    name: "E2 keeps each caller's order while twenty callers append one by one",
    async run({ append, events, session }) {
      const id = await session();
      await Promise.all(
        range(1, 20).map(async (caller) => {
          for (const turn of range(1, 5)) await append(id, [note(`${caller}:${turn}`)]);
        }),
      );
      const read = texts(await events(id));
      assert.equal(read.length, 100);
      for (const caller of range(1, 20))
        assert.deepEqual(
          read.filter((text) => text.startsWith(`${caller}:`)),
          range(1, 5).map((turn) => `${caller}:${turn}`),
        );
    },
  },
  {
    name: "E2 a reader who follows by afterSeq misses nothing while others append",
    async run({ append, events, session }) {
      const id = await session();
      let writing = true;
      const written = Promise.all(
        range(1, 30).map((turn) => append(id, [note(`${turn}`), note("more")])),
      ).finally(() => {
        writing = false;
      });
      const seen: number[] = [];
      const follow = async (): Promise<void> => {
        for (const event of await events(id, { afterSeq: seen.at(-1) ?? 0 })) seen.push(event.seq);
      };
      const reading = (async (): Promise<void> => {
        while (writing) await follow();
      })();
      await Promise.all([written, reading]);
      await follow();
      assert.deepEqual(seen, range(1, 60));
    },
  },
  {
    name: "E2 stores a batch of a thousand events at once",
    async run({ append, events, session }) {
      const id = await session();
      const stored = await append(
        id,
        range(1, 1_000).map((turn) => note(`${turn}`)),
      );
      assert.deepEqual(
        stored.map((event) => event.seq),
        range(1, 1_000),
      );
      assert.deepEqual(texts(await events(id)), range(1, 1_000).map(String));
    },
  },
  {
    name: "E2 stores nothing of a batch that is refused, and leaves row and lease alone",
    async run({ acquire, append, events, row, session, store }) {
      const id = await session();
      await append(id, [note("first", "taken")]);
      const lease = await acquire(id, "leg", 60_000);
      const before = await row(id);
      const refused = append(id, [note("a"), note("b", "taken"), note("c")], {
        lease,
        release: true,
        session: { status: "error", openRun: "r", addPending: 1, addCostUsd: 1, metadata: { x: 1 } },
      });
      await rejection(refused, "key_taken");
      assert.deepEqual(texts(await events(id)), ["first"]);
      assert.deepEqual(await row(id), before);
      assert.equal(await store.renew(lease, 60_000), true);
      assert.equal((await append(id, [note("next")]))[0]?.seq, 2);
    },
  },
  {
    name: "E2 refuses an append without events, one key twice in a batch, and what is not JSON",
    async run({ append, events, session }) {
      const id = await session();
      const cycle: { type: "a.b"; data: never[] } = { type: "a.b", data: [] };
      cycle.data.push(cycle.data as never);
      await rejection(append(id, []), "invalid_input");
      await rejection(append(id, [note("a", "k"), note("b", "k")]), "invalid_input");
      await rejection(append(id, [note("a", "nul \0 in a key")]), "invalid_input");
      await rejection(append(id, [note("a", "k".repeat(1_001))]), "invalid_input");
      await rejection(append(id, [cycle]), "invalid_input");
      assert.deepEqual(await events(id), []);
    },
  },
];
