import assert from "node:assert/strict";
import { type Bench, type Check, note } from "../base/bench.ts";

/** Returns those of the sessions that are recoverable, in the store's order. */
export async function recoverable({ store }: Bench, ids: readonly string[]): Promise<string[]> {
  const rows = await store.listRecoverable({ limit: 100_000 });
  return rows.map((row) => row.id).filter((id) => ids.includes(id));
}

/** Creates a session with an open run. */
export async function open(bench: Bench): Promise<string> {
  const id = await bench.session();
  await bench.append(id, [note("start")], { session: { openRun: "run" } });
  return id;
}

/** Ends the sessions' runs, so that other checks do not find the sessions. */
export async function end(bench: Bench, ids: readonly string[]): Promise<void> {
  for (const id of ids) await bench.append(id, [note("end")], { session: { openRun: null } });
}

/** Checks of which sessions are recoverable. */
export const recoveryChecks: readonly Check[] = [
  {
    name: "E2 a session is recoverable while it has an open run",
    async run(bench) {
      const idle = await bench.session();
      await bench.append(idle, [note("a")]);
      const running = await open(bench);
      assert.deepEqual(await recoverable(bench, [idle, running]), [running]);
      const rows = await bench.store.listRecoverable({ limit: 100_000 });
      assert.deepEqual(
        rows.find((row) => row.id === running),
        await bench.row(running),
      );
      await end(bench, [running]);
      assert.deepEqual(await recoverable(bench, [idle, running]), []);
    },
  },
  {
    name: "E2 a session is not recoverable while it is suspended, but is with a question in the middle of its work",
    async run(bench) {
      const id = await open(bench);
      await bench.append(id, [note("ask")], { session: { addPending: 1 } });
      assert.deepEqual(await recoverable(bench, [id]), [id]);
      await bench.append(id, [note("suspend")], { session: { status: "suspended" } });
      assert.deepEqual(await recoverable(bench, [id]), []);
      await bench.append(id, [note("answer")], { session: { addPending: -1, status: "active" } });
      assert.deepEqual(await recoverable(bench, [id]), [id]);
      await end(bench, [id]);
    },
  },
  {
    name: "P1 a suspended session with nothing pending is recoverable",
    async run(bench) {
      const id = await open(bench);
      await bench.append(id, [note("ask")], { session: { addPending: 1 } });
      await bench.append(id, [note("suspend")], { session: { status: "suspended" } });
      await bench.append(id, [note("answer")], { session: { addPending: -1 } });
      assert.deepEqual(await recoverable(bench, [id]), [id]);
      await end(bench, [id]);
    },
  },
  {
    name: "P1 a session is suspended only while all questions that its run waits for are pending",
    async run(bench) {
      const id = await open(bench);
      const suspended = { session: { status: "suspended", waitsFor: 2 } } as const;
      await bench.append(id, [note("ask")], { session: { addPending: 2 } });
      await bench.append(id, [note("answer")], { session: { addPending: -1, wakes: true } });
      await bench.append(id, [note("suspend, as of before")], suspended);
      assert.equal((await bench.row(id)).status, "active");
      assert.deepEqual(await recoverable(bench, [id]), [id]);
      await bench.append(id, [note("suspend")], { session: { status: "suspended", waitsFor: 1 } });
      assert.equal((await bench.row(id)).status, "suspended");
      assert.deepEqual(await recoverable(bench, [id]), []);
      await end(bench, [id]);
    },
  },
  {
    name: "P1 what wakes a session makes a suspended one recoverable, and changes no other status",
    async run(bench) {
      const id = await open(bench);
      const waiting = { session: { status: "suspended", addPending: 1, waitsFor: 1 } } as const;
      await bench.append(id, [note("suspend")], waiting);
      assert.deepEqual(await recoverable(bench, [id]), []);
      await bench.append(id, [note("stop")], { session: { wakes: true } });
      assert.deepEqual(await recoverable(bench, [id]), [id]);
      for (const status of ["error", "completed", "expired"] as const) {
        await bench.append(id, [note(status)], { session: { status } });
        await bench.append(id, [note("late")], { session: { wakes: true } });
        assert.equal((await bench.row(id)).status, status);
      }
      await end(bench, [id]);
    },
  },
  {
    name: "E2 an open run is recoverable in every status but suspended, also after an error",
    async run(bench) {
      for (const status of ["error", "completed", "expired"] as const) {
        const id = await open(bench);
        await bench.append(id, [note(status)], { session: { status } });
        assert.deepEqual(await recoverable(bench, [id]), [id], `its status is "${status}"`);
        await end(bench, [id]);
        assert.deepEqual(await recoverable(bench, [id]), []);
      }
    },
  },
  {
    name: "E2 only sessions of the agents asked for are found",
    async run(bench) {
      const id = await open(bench);
      const { agent } = await bench.row(id);
      const found = async (agents: readonly string[]) =>
        (await bench.store.listRecoverable({ limit: 100_000, agents })).some((row) => row.id === id);
      assert.equal(await found([agent]), true);
      assert.equal(await found(["no such agent"]), false);
      assert.equal(await found([]), false);
      await end(bench, [id]);
    },
  },
  {
    name: "E2 a session is not recoverable while its lease is live, but is after release or expiry",
    async run(bench) {
      const id = await open(bench);
      const lease = await bench.acquire(id, "leg", 60_000);
      assert.deepEqual(await recoverable(bench, [id]), []);
      await bench.store.renew(lease, 1);
      await bench.wait(20);
      assert.deepEqual(await recoverable(bench, [id]), [id]);
      await bench.store.renew(lease, 60_000);
      assert.deepEqual(await recoverable(bench, [id]), []);
      await bench.append(id, [note("a")], { lease, release: true });
      assert.deepEqual(await recoverable(bench, [id]), [id]);
      await end(bench, [id]);
    },
  },
  {
    name: "E2 the longest untouched recoverable session comes first, and no more than the limit come",
    async run(bench) {
      const ids: string[] = [];
      for (let made = 0; made < 3; made += 1) {
        ids.push(await open(bench));
        await bench.wait(5);
      }
      const [first = "", second = "", third = ""] = ids;
      await bench.append(first, [note("touched")]);
      assert.deepEqual(await recoverable(bench, ids), [second, third, first]);
      assert.equal((await bench.store.listRecoverable({ limit: 2 })).length, 2);
      await end(bench, ids);
    },
  },
  {
    name: "E2 pages by id have each recoverable session once, also those that are updated between two pages",
    async run(bench) {
      const ids: string[] = [];
      for (let made = 0; made < 5; made += 1) ids.push(await open(bench));
      const [first = "", ...others] = ids;
      const { agent } = await bench.row(first);
      const listed: string[] = [];
      for (let after = ""; ; ) {
        const page = await bench.store.listRecoverable({ limit: 2, agents: [agent], after });
        assert.ok(page.length <= 2, "a page has more sessions than its limit");
        const [last] = page.slice(-1);
        if (last === undefined) break;
        assert.ok(last.id !== after && listed.length < 100_000, "a page does not begin after its `after`");
        listed.push(...page.map(({ id }) => id));
        for (const id of ids) await bench.append(id, [note("touched")]);
        after = last.id;
      }
      assert.equal(new Set(listed).size, listed.length, "a session is in two pages");
      assert.deepEqual(listed.filter((id) => ids.includes(id)).toSorted(), ids.toSorted());
      await end(bench, others);
      const found = async (after: string) =>
        (await bench.store.listRecoverable({ limit: 100_000, after })).map(({ id }) => id);
      assert.ok((await found("")).includes(first));
      assert.ok(!(await found(first)).includes(first));
      await end(bench, [first]);
      assert.ok(!(await found("")).includes(first));
    },
  },
];
