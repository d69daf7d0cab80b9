import assert from "node:assert/strict";
import { type Check, note } from "../base/bench.ts";

/** Checks of the times of events and of a session's row. */
export const timeChecks: readonly Check[] = [
  {
    name: "E3 a lease that is acquired, renewed or released does not change the session's row",
    async run({ acquire, append, row, session, store, wait }) {
      const id = await session();
      await append(id, [note("a")]);
      const before = await row(id);
      await wait(20);
      const lease = await acquire(id, "leg", 60_000);
      assert.deepEqual(await row(id), before, "acquire must not change the session's row");
      await wait(20);
      await store.renew(lease, 60_000);
      assert.deepEqual(await row(id), before, "renew must not change the session's row");
      await wait(20);
      await store.release(lease);
      assert.deepEqual(await row(id), before, "release must not change the session's row");
    },
  },
  {
    name: "E2 a lease that was acquired while the clock was an hour ahead is free once the clock is set right",
    async run({ advance, append, acquire, row, session, store }) {
      // This check needs a clock that the test can move backwards.
      if (advance === undefined) return;
      const [dead, renewed] = [await session(), await session()];
      const { agent } = await row(dead);
      for (const id of [dead, renewed]) await append(id, [note("start")], { session: { openRun: "run" } });
      const found = async () =>
        (await store.listRecoverable({ limit: 100_000, agents: [agent] })).map(({ id }) => id);
      await advance(3_600_000);
      await acquire(dead, "dead", 10_000);
      const lease = await acquire(renewed, "healthy", 10_000);
      assert.equal(await store.acquire(dead, "other", 10_000), undefined, "the lease is live");
      await advance(-9_000);
      assert.equal(await store.acquire(dead, "other", 10_000), undefined, "a clock may go back a little");
      await advance(-3_591_000);
      assert.equal(await store.renew(lease, 10_000), true, "the holder may renew it");
      assert.equal(await store.acquire(renewed, "other", 10_000), undefined, "a renewed lease is live");
      const rows = await found();
      assert.deepEqual([rows.includes(dead), rows.includes(renewed)], [true, false]);
      assert.ok(await store.acquire(dead, "other", 10_000), "the lease of a dead holder is free");
      for (const id of [dead, renewed]) await append(id, [note("end")], { session: { openRun: null } });
    },
  },
  {
    name: "E2 `at` and `updatedAt` never go back, also where the store's clock is set back",
    async run({ advance, append, events, row, session }) {
      // This check needs a clock that the test can move backwards.
      if (advance === undefined) return;
      const id = await session();
      const { createdAt } = await row(id);
      await advance(-10_000);
      const [first] = await append(id, [note("a")]);
      await advance(30_000);
      const [second] = await append(id, [note("b")]);
      await advance(-20_000);
      const [third] = await append(id, [note("c")]);
      assert.ok(first !== undefined && second !== undefined && third !== undefined);
      assert.ok(
        first.at >= createdAt,
        `the event's time ${first.at} is before the session's createdAt ${createdAt}`,
      );
      assert.ok(
        second.at > first.at,
        `after the clock was advanced, the time went from ${first.at} to ${second.at}`,
      );
      assert.ok(third.at >= second.at, `the event after ${second.at} has the earlier time ${third.at}`);
      assert.deepEqual(await events(id), [first, second, third]);
      const { updatedAt } = await row(id);
      assert.equal(updatedAt, third.at);
    },
  },
];
