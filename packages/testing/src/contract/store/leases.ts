import assert from "node:assert/strict";
import { type Check, note, range, rejection, texts } from "../base/bench.ts";

const LONG = 60_000;

/** Checks of leases: acquiring, expiry, take-over and fencing. */
export const leaseChecks: readonly Check[] = [
  {
    name: "E2 a lease is refused while somebody else's is live, and every acquisition raises the epoch",
    async run({ acquire, session, store }) {
      const id = await session();
      const first = await acquire(id, "one", LONG);
      assert.equal(first.sessionId, id);
      assert.equal(first.holder, "one");
      assert.equal(await store.acquire(id, "two", LONG), undefined);
      await store.release(first);
      const second = await acquire(id, "two", LONG);
      assert.ok(second.epoch > first.epoch);
    },
  },
  {
    name: "E2 F26 a lease says when it was acquired, by the clock of the log",
    async run({ acquire, append, session }) {
      const id = await session();
      const [first] = await append(id, [note("before")]);
      const { acquiredAt } = await acquire(id, "one", LONG);
      const [last] = await append(id, [note("after")]);
      assert.equal(new Date(acquiredAt).toISOString(), acquiredAt);
      assert.ok(String(first?.at) <= acquiredAt && acquiredAt <= String(last?.at));
    },
  },
  {
    name: "E2 the holder itself may acquire again, which fences what it had",
    async run({ acquire, append, session, store }) {
      const id = await session();
      const first = await acquire(id, "one", LONG);
      const again = await acquire(id, "one", LONG);
      assert.ok(again.epoch > first.epoch);
      await rejection(append(id, [note("a")], { lease: first }), "fenced");
      assert.equal(await store.renew(first, LONG), false);
      await store.release(first);
      await append(id, [note("b")], { lease: again });
    },
  },
  {
    name: "E2 of twenty concurrent acquisitions exactly one wins",
    async run({ session, store }) {
      const id = await session();
      const leases = await Promise.all(range(1, 20).map((leg) => store.acquire(id, `leg ${leg}`, LONG)));
      assert.equal(leases.filter((lease) => lease !== undefined).length, 1);
    },
  },
  {
    name: "E2 an expired lease can be taken over, and fences its former holder",
    async run({ acquire, append, events, session, store, wait }) {
      const id = await session();
      const stale = await acquire(id, "one", 1);
      await wait(20);
      const lease = await acquire(id, "two", LONG);
      assert.ok(lease.epoch > stale.epoch);
      await rejection(append(id, [note("stale")], { lease: stale }), "fenced");
      assert.equal(await store.renew(stale, LONG), false);
      await store.release(stale);
      await append(id, [note("current")], { lease });
      assert.deepEqual(texts(await events(id)), ["current"]);
    },
  },
  {
    name: "E2 a lease that expired but was not taken over still writes and can be renewed",
    async run({ acquire, append, session, store, wait }) {
      const id = await session();
      const lease = await acquire(id, "one", 1);
      await wait(20);
      await append(id, [note("late")], { lease });
      assert.equal(await store.renew(lease, LONG), true);
      assert.equal(await store.acquire(id, "two", LONG), undefined);
      await append(id, [note("later")], { lease });
    },
  },
  {
    name: "E2 renewal counts from now, also when it makes the lease shorter",
    async run({ acquire, session, store, wait }) {
      const id = await session();
      const lease = await acquire(id, "one", LONG);
      assert.equal(await store.renew(lease, 1), true);
      await wait(20);
      await acquire(id, "two", LONG);
      assert.equal(await store.renew(lease, LONG), false);
    },
  },
  {
    name: "E2 a released lease writes no more and cannot be renewed",
    async run({ acquire, append, session, store }) {
      const id = await session();
      const lease = await acquire(id, "one", LONG);
      await store.release(lease);
      await rejection(append(id, [note("a")], { lease }), "fenced");
      assert.equal(await store.renew(lease, LONG), false);
      await store.release(lease);
      const again = await acquire(id, "one", LONG);
      assert.ok(again.epoch > lease.epoch);
      await rejection(append(id, [note("a")], { lease }), "fenced");
    },
  },
  {
    name: "E2 an append can release the lease in the same operation",
    async run({ acquire, append, events, session }) {
      const id = await session();
      const lease = await acquire(id, "one", LONG);
      await append(id, [note("last")], { lease, release: true });
      await rejection(append(id, [note("more")], { lease }), "fenced");
      await acquire(id, "two", LONG);
      assert.deepEqual(texts(await events(id)), ["last"]);
    },
  },
  {
    name: "E2 an append refused by afterSeq keeps the lease it would have given back",
    async run({ acquire, append, session, store }) {
      const id = await session();
      const lease = await acquire(id, "one", LONG);
      await append(id, [note("answer that came meanwhile")]);
      await rejection(append(id, [note("end")], { lease, afterSeq: 0, release: true }), "conflict");
      assert.equal(await store.acquire(id, "two", LONG), undefined);
      await append(id, [note("end")], { lease, afterSeq: 1, release: true });
    },
  },
  {
    name: "E2 an append without a lease goes through beside a live one and leaves it alone",
    async run({ acquire, append, session, store }) {
      const id = await session();
      const lease = await acquire(id, "one", LONG);
      await append(id, [note("from the side")]);
      await append(id, [note("from the leg")], { lease });
      assert.equal(await store.acquire(id, "two", LONG), undefined);
    },
  },
  {
    name: "E2 an append that releases without naming a lease ends the session's lease, also another holder's",
    async run({ acquire, append, session, store }) {
      const id = await session();
      const lease = await acquire(id, "one", LONG);
      await append(id, [note("from the side")], { release: true });
      assert.equal(await store.renew(lease, LONG), false);
      await acquire(id, "two", LONG);
    },
  },
  {
    name: "E2 a lease is of one session and of one holder",
    async run({ acquire, append, session, store }) {
      const id = await session();
      const other = await session();
      const lease = await acquire(id, "one", LONG);
      await acquire(other, "one", LONG);
      await rejection(append(other, [note("a")], { lease }), "fenced");
      await rejection(append(id, [note("a")], { lease: { ...lease, holder: "two" } }), "fenced");
      assert.equal(await store.renew({ ...lease, holder: "two" }, LONG), false);
    },
  },
];
