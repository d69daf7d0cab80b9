import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import type { Lease, NewEvent, OpenedSession, SessionToOpen, Snapshot } from "@pawl/core/store";
import { type Bench, type Check, note, range, rejection, texts } from "../base/bench.ts";

const LONG = 60_000;
const VERSION = "v1";

const redaction: NewEvent = { type: "redaction", data: { seq: 1, of: "note" } };

/** Keeps snapshots of a new session with three events, and opens it. */
interface Keeping extends Bench {
  id: string;
  save(seq: number, more?: Partial<Snapshot>, id?: string): Promise<void>;
  open(more?: Partial<SessionToOpen>): Promise<OpenedSession | undefined>;
  /** Opens the session for a holder whose lease fences all others. */
  held(more?: Partial<SessionToOpen>): Promise<OpenedSession & { lease: Lease }>;
}

/** A check of {@link EventStore.saveSnapshot}. Passes if the store has no such method: it is optional. */
function check(name: string, run: (keeping: Keeping) => Promise<void>): Check {
  return {
    name: `R5 ${name}`,
    async run(bench) {
      const { store, append, session } = bench;
      if (store.saveSnapshot === undefined) return;
      const userId = randomUUID();
      const id = await session({ userId });
      await append(id, [note("a"), note("b")]);
      await append(id, [note("c")]);
      const asked = { id, userId, agent: "coach", holder: "one", ttlMs: LONG, snapshot: VERSION };
      const open: Keeping["open"] = async (more) => await store.open?.({ ...asked, ...more });
      await run({
        ...bench,
        id,
        open,
        save: async (seq, more, of = id) =>
          await store.saveSnapshot?.(of, { version: VERSION, seq, state: stateAt(seq), ...more }),
        async held(more) {
          const opened = await open(more);
          assert.ok(opened?.lease !== undefined, "open returned no lease, although none is live");
          return { ...opened, lease: opened.lease };
        },
      });
    },
  };
}

const stateAt = (seq: number) => JSON.stringify({ seq });

/** Asserts that the opened session has this snapshot and all events after it. */
function assertOpened(opened: OpenedSession, seq: number | undefined, state?: string): void {
  assert.deepEqual(opened.snapshot, seq && { seq, state: state ?? stateAt(seq) });
  const from = (seq ?? 0) + 1;
  assert.deepEqual(
    opened.events.map((event) => event.seq),
    range(from, opened.session.lastSeq),
  );
}

/** Checks of snapshots: what is kept, when it is returned, and what deletes it. */
export const snapshotChecks: readonly Check[] = [
  check("opening returns the snapshot, and only the events after it", async (keeping) => {
    const { append, held, id, save } = keeping;
    assertOpened(await held(), undefined);
    await save(3);
    assertOpened(await held(), 3);
    await append(id, [note("d"), note("e")]);
    const opened = await held();
    assertOpened(opened, 3);
    assert.deepEqual(texts(opened.events), ["d", "e"]);
    await save(5);
    assertOpened(await held(), 5);
  }),
  check("a snapshot of another version is not returned, nor one that nobody asks for", async (keeping) => {
    const { held, open, save } = keeping;
    await save(3);
    assertOpened(await held({ snapshot: "v2" }), undefined);
    assertOpened(await held({ snapshot: "" }), undefined);
    assertOpened((await open({ snapshot: undefined as never })) as OpenedSession, undefined);
    await save(3, { version: "v2" });
    assertOpened(await held({ snapshot: "v2" }), 3);
    assertOpened(await held(), undefined);
  }),
  check("a snapshot that is ahead of its log or behind it is not kept", async (keeping) => {
    const { held, save } = keeping;
    for (const seq of [0, -1, 2, 4, 2_000_000_000]) await save(seq);
    assertOpened(await held(), undefined);
    await save(3);
    for (const seq of [2, 4]) await save(seq);
    assertOpened(await held(), 3);
  }),
  check("a snapshot of a session that does not exist is ignored", async (keeping) => {
    const { save, store } = keeping;
    const missing = randomUUID();
    for (const id of [missing, "", "nul \0", "half \ud83d"]) await save(0, {}, id);
    assert.equal(await store.sessions.get(missing), undefined);
  }),
  check("a snapshot belongs to its session", async (keeping) => {
    const { append, held, save, session } = keeping;
    const other = await session();
    await append(other, [note("a"), note("b"), note("c")]);
    await save(3, {}, other);
    assertOpened(await held(), undefined);
  }),
  check("events that the caller has are not returned again, nor a snapshot of them", async (keeping) => {
    const { append, held, id, save } = keeping;
    await save(3);
    await append(id, [note("d")]);
    assert.equal((await held({ afterSeq: 2 })).snapshot?.seq, 3);
    for (const afterSeq of [3, 4]) {
      const { snapshot, events } = await held({ afterSeq });
      assert.deepEqual([snapshot, events.length], [undefined, 4 - afterSeq]);
    }
  }),
  check("without the lease, opening returns no snapshot", async (keeping) => {
    const { append, held, id, open, row, save, store } = keeping;
    await save(3);
    for (const more of [{ userId: randomUUID() }, { userId: randomUUID(), create: {} }])
      assert.equal(await open(more), undefined);
    const nothing = async () => ({ session: await row(id), lease: undefined, events: [] });
    assert.deepEqual(await open({ agent: "trainer" }), await nothing());
    const { lease } = await held();
    assert.deepEqual(await open({ holder: "two" }), await nothing());
    await store.release(lease);
    await append(id, [note("d")], { session: { status: "expired" } });
    assert.deepEqual(await open(), await nothing());
  }),
  check("an append with a redaction deletes the snapshot", async (keeping) => {
    const { append, held, id, save } = keeping;
    for (const events of [[redaction], [note("d"), redaction, note("e")]]) {
      const { lastSeq } = (await held()).session;
      await save(lastSeq);
      assertOpened(await held(), lastSeq);
      await append(id, events);
      assertOpened(await held(), undefined);
    }
  }),
  check("an append with a redaction that is refused deletes nothing", async (keeping) => {
    const { append, held, id, save } = keeping;
    await append(id, [note("d", "taken")]);
    await save(4);
    const lease = { sessionId: id, holder: "late", epoch: 0 };
    const twice: NewEvent = { ...redaction, key: "taken" };
    await rejection(append(id, [redaction], { afterSeq: 3 }), "conflict");
    await rejection(append(id, [redaction, note("e")], { lease }), "fenced");
    await rejection(append(id, [twice]), "key_taken");
    assertOpened(await held(), 4);
  }),
  check("a snapshot that is saved while others append is never ahead of a lost event", async (keeping) => {
    const { append, held, id, save } = keeping;
    const work = range(1, 12).flatMap((n) => [append(id, [note(`${n}`)]), save(3 + n)]);
    const opened = await Promise.all([held(), held()]);
    await Promise.all(work);
    for (const one of [...opened, await held()]) assertOpened(one, one.snapshot?.seq);
  }),
  check("a snapshot that is saved while its text is redacted does not stay", async (keeping) => {
    const { append, held, id, save } = keeping;
    for (let round = 0; round < 8; round += 1) {
      const { lastSeq } = (await held()).session;
      const redacting = append(id, round % 2 === 0 ? [redaction] : [redaction, note("d")]);
      await Promise.all([save(lastSeq), redacting, save(lastSeq)]);
      assert.equal((await held()).snapshot, undefined);
    }
  }),
  check("the text of a snapshot is kept as it is", async (keeping) => {
    const { held, save } = keeping;
    const strange = ["ä 😀 \u2028", "\0", "\ud83d", "'; --", '"\\', "__proto__"];
    const long = range(1, 20_000).map((n) => `${n} ä`);
    const state = JSON.stringify({ strange, long, ["__proto__"]: { a: 1 } });
    await save(3, { state });
    assertOpened(await held(), 3, state);
  }),
  check("saving a snapshot changes neither the row nor the log", async (keeping) => {
    const { events, id, row, save, wait } = keeping;
    const before = [await row(id), await events(id)];
    await wait(5);
    await save(3);
    assert.deepEqual([await row(id), await events(id)], before);
  }),
];
