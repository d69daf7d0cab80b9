import assert from "node:assert/strict";
import { type Check, note } from "../base/bench.ts";
import { end, open, recoverable } from "./recovery.ts";

/** Checks of sessions that are woken at a time. */
export const wakeChecks: readonly Check[] = [
  {
    name: "F26 a waiting session is recoverable from its time on, by the store's clock, and not before",
    async run(bench) {
      const [soon, later, never] = [await open(bench), await open(bench), await open(bench)];
      const asks = { status: "suspended", addPending: 1, waitsFor: 1 } as const;
      const at = async (ms: number) =>
        new Date(Date.parse((await bench.row(soon)).updatedAt) + ms).toISOString();
      const [due, notDue] = [await at(60), await at(3_600_000)];
      for (const [id, wakeAt] of [
        [soon, due],
        [later, notDue],
        [never, null],
      ] as const)
        await bench.append(id, [note("ask")], { session: { ...asks, wakeAt } });
      assert.equal((await bench.row(soon)).wakeAt, due);
      assert.equal((await bench.row(later)).wakeAt, notDue);
      assert.equal((await bench.row(never)).wakeAt, null);
      await bench.wait(100);
      assert.deepEqual(await recoverable(bench, [soon, later, never]), [soon]);
      const rows = await bench.store.listRecoverable({ limit: 100_000 });
      assert.deepEqual(
        rows.find(({ id }) => id === soon),
        await bench.row(soon),
      );
      const lease = await bench.acquire(soon, "leg", 60_000);
      assert.deepEqual(await recoverable(bench, [soon]), []);
      await bench.store.release(lease);
      assert.deepEqual(await recoverable(bench, [soon]), [soon]);
      await end(bench, [soon, later, never]);
      assert.deepEqual(await recoverable(bench, [soon]), []);
    },
  },
  {
    name: "F26 an active session that waits for a time is recoverable from that time on only",
    async run(bench) {
      const id = await open(bench);
      const wakeAt = async (ms: number) =>
        new Date(Date.parse((await bench.row(id)).updatedAt) + ms).toISOString();
      await bench.append(id, [note("wait")], {
        session: { status: "active", wakeAt: await wakeAt(3_600_000) },
      });
      assert.deepEqual(await recoverable(bench, [id]), []);
      await bench.append(id, [note("wait less")], { session: { status: "active", wakeAt: await wakeAt(0) } });
      await bench.wait(5);
      assert.deepEqual(await recoverable(bench, [id]), [id]);
      await end(bench, [id]);
    },
  },
  {
    name: "F26 an answer, a stop, a message and every status but suspended clear the time at which a session wakes",
    async run(bench) {
      const id = await open(bench);
      const wakeAt = "2999-12-31T23:59:59.999Z";
      const waits = { status: "suspended", wakeAt } as const;
      await bench.append(id, [note("ask")], { session: { addPending: 2 } });
      for (const patch of [
        { wakes: true },
        { status: "active" },
        { status: "error" },
        { wakeAt: null },
      ] as const) {
        await bench.append(id, [note("wait")], { session: waits });
        await bench.append(id, [note("other")], { session: { addCostUsd: 1, metadata: { a: 1 } } });
        assert.equal((await bench.row(id)).wakeAt, wakeAt);
        await bench.append(id, [note("as an earlier version waits")], { session: { status: "suspended" } });
        assert.equal((await bench.row(id)).wakeAt, wakeAt);
        await bench.append(id, [note("wake")], { session: { ...patch, addPending: -1 } });
        assert.equal((await bench.row(id)).wakeAt, null, `after ${JSON.stringify(patch)}`);
        await bench.append(id, [note("ask")], { session: { addPending: 1 } });
      }
      await bench.append(id, [note("end")], { session: { openRun: null, status: "active" } });
    },
  },
];
