import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import type { StoredEvent } from "@pawl/core";
import type { AcquiredLease, OpenedSession, SessionToOpen } from "@pawl/core/store";
import { type Bench, type Check, note, range, rejection, texts } from "../base/bench.ts";

const LONG = 60_000;

/** Opens sessions of one user. */
interface Opening extends Bench {
  userId: string;
  open(id: string, more?: Partial<SessionToOpen>): Promise<OpenedSession | undefined>;
  /** Opens a session that the user has and that no other holder has. */
  held(id: string, more?: Partial<SessionToOpen>): Promise<OpenedSession & { lease: AcquiredLease }>;
}

/** A check of {@link EventStore.open}. Passes if the store has no such method, because it is optional. */
function check(name: string, run: (opening: Opening) => Promise<void>): Check {
  return {
    name,
    async run(bench) {
      const { store } = bench;
      if (store.open === undefined) return;
      const userId = randomUUID();
      const asked = { userId, agent: "coach", holder: "one", ttlMs: LONG };
      const open: Opening["open"] = async (id, more) => await store.open?.({ id, ...asked, ...more });
      await run({
        ...bench,
        userId,
        open,
        session: (session) => bench.session({ userId, ...session }),
        async held(id, more) {
          const opened = await open(id, more);
          assert.ok(opened?.lease !== undefined, `open returned no lease of "${id}", although none is live`);
          return { ...opened, lease: opened.lease };
        },
      });
    },
  };
}

/** Checks of opening sessions: owner, creation, lease and events in one call. */
export const openChecks: readonly Check[] = [
  check("E3 opening creates a session that does not exist, with its lease", async ({ held, row, userId }) => {
    const id = randomUUID();
    const { session, lease, events } = await held(id, { create: { metadata: { type: "chat" } } });
    assert.deepEqual(session, await row(id));
    assert.deepEqual([session.userId, session.agent, session.status], [userId, "coach", "active"]);
    assert.deepEqual(session.metadata, { type: "chat" });
    assert.equal(session.updatedAt, session.createdAt);
    assert.deepEqual([lease.sessionId, lease.holder], [id, "one"]);
    assert.deepEqual(events, []);
  }),
  check("E2 F26 opening says when the lease was acquired, by the clock of the log", async (opening) => {
    const { append, held, session } = opening;
    const id = await session();
    const [first] = await append(id, [note("before")]);
    const { acquiredAt } = (await held(id)).lease;
    const [last] = await append(id, [note("after")]);
    assert.equal(new Date(acquiredAt).toISOString(), acquiredAt);
    assert.ok(String(first?.at) <= acquiredAt && acquiredAt <= String(last?.at));
  }),
  check("E2 opening returns the row, the lease and the log as it is read", async (opening) => {
    const { append, events, held, row, session } = opening;
    const id = await session({ metadata: { type: "first" } });
    await append(id, [note("a", "ä key"), note("b")]);
    await append(id, [{ ...note("c"), durationMs: 1.5 }]);
    const opened = await held(id, { create: { metadata: { type: "second" } } });
    assert.deepEqual(opened.events, await events(id));
    assert.deepEqual(opened.session, await row(id));
    assert.deepEqual(opened.session.metadata, { type: "first" });
    await append(id, [note("d")], { lease: opened.lease, afterSeq: 3 });
    assert.deepEqual(texts((await held(id, { afterSeq: 2 })).events), ["c", "d"]);
    assert.deepEqual((await held(id, { afterSeq: 4 })).events, []);
  }),
  check("E2 a long log is opened by its beginning, and is read on from there", async (opening) => {
    const { append, events, held, session } = opening;
    const id = await session();
    for (const part of range(0, 5))
      await append(
        id,
        range(1, 300).map((n) => note(`${part * 300 + n}`)),
      );
    const opened = await held(id);
    assert.equal(opened.session.lastSeq, 1_800);
    const last = opened.events.at(-1)?.seq ?? 0;
    assert.ok(last > 0, "open returned no event of a log that has some");
    const all: StoredEvent[] = [...opened.events, ...(await events(id, { afterSeq: last }))];
    assert.deepEqual(all, await events(id));
  }),
  check("E11 nobody opens another user's session, nor creates one in its place", async (opening) => {
    const { append, held, open, row, session } = opening;
    const id = await session();
    await append(id, [note("mine")]);
    const before = await row(id);
    for (const create of [undefined, {}]) {
      const more = { userId: randomUUID(), ...(create && { create }) };
      assert.equal(await open(id, { ...more, holder: "thief" }), undefined);
    }
    assert.deepEqual(await row(id), before);
    await held(id);
  }),
  check(
    "E3 opening finds no session that does not exist, and no name that no store could keep",
    async (opening) => {
      const { open, session, store } = opening;
      const missing = randomUUID();
      assert.equal(await open(missing), undefined);
      assert.equal(await store.sessions.get(missing), undefined);
      const id = await session();
      for (const odd of ["", "nul \0", "half \ud83d", "x".repeat(1_001)]) {
        assert.equal(await open(odd), undefined);
        assert.equal(await open(id, { userId: odd }), undefined);
        await rejection(open(odd, { create: {} }), "invalid_input");
        await rejection(open(randomUUID(), { create: {}, userId: odd }), "invalid_input");
        await rejection(open(id, { holder: odd }), "invalid_input");
      }
    },
  ),
  check(
    "E3 a session of another agent is opened without its lease",
    async ({ append, open, row, session, store }) => {
      const id = await session({ agent: "trainer" });
      await append(id, [note("a")]);
      const opened = await open(id);
      assert.deepEqual(opened, { session: await row(id), lease: undefined, events: [] });
      assert.ok(await store.acquire(id, "two", LONG));
    },
  ),
  check("E7 an expired session is opened without its lease, and stays expired", async (opening) => {
    const { append, open, row, session, store } = opening;
    const id = await session();
    await append(id, [note("a")], { session: { status: "expired" } });
    for (const more of [{}, { create: {} }]) {
      const opened = await open(id, more);
      assert.deepEqual(opened, { session: await row(id), lease: undefined, events: [] });
    }
    assert.equal((await row(id)).status, "expired");
    assert.ok(await store.acquire(id, "two", LONG));
  }),
  check("E2 opening gives no lease while somebody else's is live", async (opening) => {
    const { acquire, append, held, open, row, session, wait } = opening;
    const id = await session();
    const first = await acquire(id, "two", LONG);
    assert.deepEqual(await open(id), { session: await row(id), lease: undefined, events: [] });
    await append(id, [note("a")], { lease: first });
    await acquire(id, "two", 1);
    await wait(20);
    const { lease, events } = await held(id);
    assert.ok(lease.epoch > first.epoch);
    assert.deepEqual(texts(events), ["a"]);
    await rejection(append(id, [note("b")], { lease: first }), "fenced");
    await append(id, [note("b")], { lease });
  }),
  check(
    "E2 of ten who open a session at once, one gets its lease and one session is there",
    async (opening) => {
      const { open, row, session } = opening;
      for (const id of [randomUUID(), await session()]) {
        const opened = await Promise.all(
          range(1, 10).map((n) => open(id, { create: {}, holder: `leg ${n}` })),
        );
        assert.equal(opened.filter((one) => one?.lease !== undefined).length, 1);
        const made = await row(id);
        for (const one of opened) assert.deepEqual(one?.session, made);
      }
    },
  ),
  check("E2 a holder that did not get the result opens the session again", async (opening) => {
    const { append, held, row } = opening;
    const id = randomUUID();
    const first = await held(id, { create: { metadata: { a: 1 } } });
    const again = await held(id, { create: { metadata: { a: 1 } } });
    assert.deepEqual(again.session, first.session);
    assert.ok(again.lease.epoch > first.lease.epoch);
    await rejection(append(id, [note("a")], { lease: first.lease }), "fenced");
    await append(id, [note("a")], { lease: again.lease });
    assert.equal((await row(id)).lastSeq, 1);
  }),
  check("E2 opening leaves nothing out of a log that others append to meanwhile", async (opening) => {
    const { append, events, held, session } = opening;
    const id = await session();
    const appends = range(1, 20).map((n) => append(id, [note(`${n}`)]));
    const opened = await Promise.all(range(1, 10).map(() => held(id)));
    await Promise.all(appends);
    for (const one of opened) {
      const last = one.events.at(-1)?.seq ?? 0;
      assert.deepEqual(one.events, (await events(id)).slice(0, last));
      assert.equal(last, one.session.lastSeq);
    }
  }),
  check("E3 opening a session does not change its row", async ({ append, held, row, session, wait }) => {
    const id = await session();
    await append(id, [note("a")]);
    const before = await row(id);
    await wait(5);
    await held(id);
    assert.deepEqual(await row(id), before);
  }),
];
