import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { type Check, note, rejection } from "../base/bench.ts";

/** Checks of names that no store can keep: writing under one is refused, and reading finds nothing. */
export const nameChecks: readonly Check[] = [
  {
    name: "E2 refuses holders whose names no store could keep",
    async run({ acquire, session, store }) {
      const id = await session();
      for (const holder of ["", "nul \0", "half \ud83d", "x".repeat(1_001)])
        await rejection(store.acquire(id, holder, 60_000), "invalid_input");
      await acquire(id, "leg", 60_000);
    },
  },
  {
    name: "E3 half a surrogate pair reaches no session and no lease that has U+FFFD in its place",
    async run({ acquire, append, events, row, store }) {
      const run = randomUUID();
      const [id, half] = [`\ufffd ${run}`, `\ud800 ${run}`];
      await store.sessions.create({ id, userId: id, agent: "coach" });
      const lease = await acquire(id, "\ufffd", 60_000);
      const stored = await append(id, [note("a")], { lease });
      const before = await row(id);

      assert.equal(await store.sessions.get(half), undefined, "get found a session under an invalid id");
      assert.deepEqual(
        await store.sessions.list({ userId: half }),
        [],
        "list found a session of an invalid user id",
      );
      assert.deepEqual(await events(half), [], "read found events under an invalid id");
      await rejection(store.sessions.create({ id: half, userId: "u", agent: "a" }), "invalid_input");
      await rejection(append(half, [note("b")]), "not_found");
      await rejection(store.acquire(half, "leg", 60_000), "not_found");
      for (const other of [
        { ...lease, sessionId: half },
        { ...lease, holder: "\ud800" },
      ]) {
        await rejection(append(id, [note("b")], { lease: other }), "fenced");
        assert.equal(await store.renew(other, 60_000), false, "renew changed the lease of another holder");
        await store.release(other);
      }

      assert.equal(
        await store.renew(lease, 60_000),
        true,
        "release or acquire changed the lease of another holder",
      );
      assert.deepEqual(await events(id), stored);
      assert.deepEqual(await row(id), before);
    },
  },
  {
    name: "E3 half a surrogate pair finds no type of event and no agent that has U+FFFD in its place",
    async run({ append, events, session, store }) {
      const run = randomUUID();
      const [agent, half] = [`\ufffd ${run}`, `\ud800 ${run}`];
      const userId = randomUUID();
      const id = await session({ userId, agent });
      await append(id, [{ type: "x.\ufffd", data: 1 }], { session: { openRun: "run" } });
      assert.deepEqual(
        await events(id, { types: ["x.\ud800", "nul.\0"] }),
        [],
        "read found events of an invalid type",
      );
      assert.deepEqual(
        await store.sessions.list({ userId, agent: half }),
        [],
        "list found a session of an invalid agent",
      );
      for (const agents of [[half], ["nul \0"]])
        assert.deepEqual(
          await store.listRecoverable({ limit: 9, agents }),
          [],
          "listRecoverable found a session of an invalid agent",
        );
      const found = await store.listRecoverable({ limit: 9, agents: [half, agent] });
      assert.deepEqual(
        found.map((row) => row.id),
        [id],
      );
      await append(id, [note("end")], { session: { openRun: null } });
    },
  },
];
