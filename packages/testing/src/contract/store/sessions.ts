import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import type { SessionStatus } from "@pawl/core";
import type { ListSessions } from "@pawl/core/store";
import { type Bench, type Check, note, range, rejection } from "../base/bench.ts";

async function listed({ store }: Bench, options: ListSessions): Promise<string[]> {
  return (await store.sessions.list(options)).map((row) => row.id);
}

/** Creates sessions of one user, one after another. */
async function several(bench: Bench, userId: string, agents: readonly string[]): Promise<string[]> {
  const ids: string[] = [];
  for (const agent of agents) {
    ids.push(await bench.session({ userId, agent }));
    await bench.wait(3);
  }
  return ids;
}

/** Checks of creating, reading and listing sessions' rows. */
export const sessionChecks: readonly Check[] = [
  {
    name: "E3 a new session is active and empty",
    async run({ store }) {
      const id = randomUUID();
      const made = await store.sessions.create({ id, userId: "u", agent: "coach", metadata: { a: 1 } });
      const { createdAt, updatedAt, ...rest } = made;
      assert.deepEqual(rest, {
        id,
        userId: "u",
        agent: "coach",
        status: "active",
        lastSeq: 0,
        openRun: null,
        pending: 0,
        wakeAt: null,
        contextStartSeq: 0,
        usage: {
          inputTokens: 0,
          outputTokens: 0,
          cacheReadTokens: 0,
          cacheWriteTokens: 0,
          cacheWrite1hTokens: 0,
        },
        costUsd: 0,
        metadata: { a: 1 },
      });
      assert.equal(new Date(createdAt).toISOString(), createdAt);
      assert.equal(updatedAt, createdAt);
      assert.deepEqual(await store.sessions.get(id), made);
    },
  },
  {
    name: "E3 a taken session id is a conflict, and the session stays as it is",
    async run({ append, row, session, store }) {
      const id = await session({ userId: "first" });
      await append(id, [note("a")]);
      const before = await row(id);
      await rejection(store.sessions.create({ id, userId: "second", agent: "x" }), "conflict");
      assert.deepEqual(await row(id), before);
    },
  },
  {
    name: "E3 of ten concurrent creations of one session exactly one wins",
    async run({ store }) {
      const id = randomUUID();
      const settled = await Promise.allSettled(
        range(1, 10).map((turn) => store.sessions.create({ id, userId: `u${turn}`, agent: "a" })),
      );
      const won = settled.filter((result) => result.status === "fulfilled");
      assert.equal(won.length, 1);
      for (const result of settled)
        if (result.status === "rejected") await rejection(Promise.reject(result.reason), "conflict");
      assert.deepEqual(await store.sessions.get(id), won[0]?.value);
    },
  },
  {
    name: "E3 refuses ids that no store could keep, and finds none under them",
    async run({ events, store }) {
      for (const id of ["", "nul \0", "x".repeat(1_001)]) {
        await rejection(store.sessions.create({ id, userId: "u", agent: "a" }), "invalid_input");
        assert.equal(await store.sessions.get(id), undefined);
        assert.deepEqual(await events(id), []);
        await rejection(store.acquire(id, "leg", 1), "not_found");
      }
      const longest = `${"x".repeat(960)}${randomUUID()}`;
      await store.sessions.create({ id: longest, userId: "ü", agent: "a" });
      assert.equal((await store.sessions.get(longest))?.userId, "ü");
    },
  },
  {
    name: "E3 lists the sessions of a user, newest first",
    async run(bench) {
      const userId = randomUUID();
      const [first = "", second = "", third = ""] = await several(bench, userId, ["a", "a", "a"]);
      await bench.append(first, [note("touching it makes it no newer")]);
      assert.deepEqual(await listed(bench, { userId }), [third, second, first]);
      const [row] = await bench.store.sessions.list({ userId, limit: 1 });
      assert.deepEqual(row, await bench.row(third));
    },
  },
  {
    name: "E3 lists nothing of users and agents whose names no store could keep",
    async run(bench) {
      const userId = randomUUID();
      await bench.session({ userId, agent: "coach" });
      for (const odd of ["\0", "coach\0", "\ud83d", "x".repeat(1_001)]) {
        assert.deepEqual(await listed(bench, { userId, agent: odd }), []);
        assert.deepEqual(await listed(bench, { userId: odd }), []);
      }
    },
  },
  {
    name: "E11 lists nothing of another user",
    async run(bench) {
      const [mine, other] = [randomUUID(), randomUUID()];
      const [id] = await several(bench, mine, ["a"]);
      await several(bench, other, ["a"]);
      assert.deepEqual(await listed(bench, { userId: mine }), [id]);
      assert.deepEqual(await listed(bench, { userId: randomUUID() }), []);
      assert.equal((await bench.row(id ?? "")).userId, mine);
    },
  },
  {
    name: "E3 lists by agent and by status, and no more than the limit",
    async run(bench) {
      const userId = randomUUID();
      const ids = await several(bench, userId, ["a", "b", "a", "b"]);
      const [a1 = "", b1 = "", a2 = "", b2 = ""] = ids;
      const mark = (id: string, status: SessionStatus): Promise<unknown> =>
        bench.append(id, [note(status)], { session: { status } });
      await mark(b1, "suspended");
      await mark(a2, "completed");
      assert.deepEqual(await listed(bench, { userId, agent: "b" }), [b2, b1]);
      assert.deepEqual(await listed(bench, { userId, status: ["active", "suspended"] }), [b2, b1, a1]);
      assert.deepEqual(await listed(bench, { userId, agent: "a", status: ["completed"] }), [a2]);
      assert.deepEqual(await listed(bench, { userId, agent: "a", status: ["error"] }), []);
      assert.deepEqual(await listed(bench, { userId, status: [] }), []);
      assert.deepEqual(await listed(bench, { userId, limit: 3 }), [b2, a2, b1]);
    },
  },
  {
    name: "E3 lists fifty sessions unless told otherwise",
    async run(bench) {
      const userId = randomUUID();
      await Promise.all(range(1, 55).map(() => bench.session({ userId })));
      assert.equal((await listed(bench, { userId })).length, 50);
      assert.equal((await listed(bench, { userId, limit: 100 })).length, 55);
    },
  },
];
