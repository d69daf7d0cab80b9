import assert from "node:assert/strict";
import { type Check, note, range, texts } from "../base/bench.ts";

/** Checks of how appends change the session's row. */
export const patchChecks: readonly Check[] = [
  {
    name: "E3 numbers of a session's row are added up, also by concurrent appends",
    async run({ append, row, session }) {
      const id = await session();
      await Promise.all(
        range(1, 20).map((turn) =>
          append(id, [note(`${turn}`)], {
            session: {
              addPending: 1,
              addCostUsd: 0.25,
              addUsage: {
                inputTokens: turn,
                outputTokens: 2,
                cacheReadTokens: 3,
                cacheWriteTokens: 4,
                cacheWrite1hTokens: 1,
              },
            },
          }),
        ),
      );
      const usage = { inputTokens: 1, outputTokens: 1, cacheReadTokens: 1, cacheWriteTokens: 1 };
      await append(id, [note("last")], { session: { addPending: -3, addUsage: usage } });
      const { costUsd, lastSeq, pending, usage: total } = await row(id);
      assert.deepEqual({ costUsd, lastSeq, pending }, { costUsd: 5, lastSeq: 21, pending: 17 });
      assert.deepEqual(total, {
        inputTokens: 211,
        outputTokens: 41,
        cacheReadTokens: 61,
        cacheWriteTokens: 81,
        cacheWrite1hTokens: 20,
      });
    },
  },
  {
    name: "O1 sums of money are exact: 0.1 and 0.2 US dollars are 0.3",
    async run({ append, row, session }) {
      const id = await session();
      await append(id, [note("a")], { session: { addCostUsd: 0.1 } });
      await append(id, [note("b")], { session: { addCostUsd: 0.2 } });
      assert.equal((await row(id)).costUsd, 0.3);
    },
  },
  {
    name: "E3 status and open run are replaced, and kept where the patch does not name them",
    async run({ append, row, session }) {
      const id = await session();
      await append(id, [note("a")], { session: { openRun: "run 1", status: "error" } });
      await append(id, [note("b")]);
      await append(id, [note("c")], { session: {} });
      assert.equal((await row(id)).openRun, "run 1");
      assert.equal((await row(id)).status, "error");
      await append(id, [note("d")], { session: { openRun: null } });
      assert.equal((await row(id)).openRun, null);
      for (const status of ["suspended", "active", "error", "completed", "expired"] as const) {
        await append(id, [note(status)], { session: { status } });
        assert.equal((await row(id)).status, status);
      }
    },
  },
  {
    name: "E7 a session that has expired stays so, whatever an append asks for, and the append is stored with all else",
    async run({ append, events, row, session }) {
      const id = await session();
      await append(id, [note("a")], { session: { status: "active", openRun: "run 1" } });
      await append(id, [note("b")], { session: { status: "expired" } });
      for (const status of ["suspended", "active", "completed", "error"] as const) {
        const patch = { status, addPending: 1, addCostUsd: 1, metadata: { [status]: true } };
        await append(id, [note(status)], { session: patch });
        assert.equal((await row(id)).status, "expired");
      }
      await append(id, [note("end")], { session: { status: "active", openRun: null } });
      await append(id, [note("begin")], { session: { status: "active", openRun: "run 2" } });
      const { status, openRun, pending, costUsd, metadata, lastSeq } = await row(id);
      assert.deepEqual(
        { status, openRun, pending, costUsd, lastSeq },
        { status: "expired", openRun: "run 2", pending: 4, costUsd: 4, lastSeq: 8 },
      );
      assert.deepEqual(metadata, { suspended: true, active: true, completed: true, error: true });
      assert.deepEqual(texts(await events(id)), [
        "a",
        "b",
        "suspended",
        "active",
        "completed",
        "error",
        "end",
        "begin",
      ]);
    },
  },
  {
    name: "E7 a completed session stays so until another run begins in it, or it expires",
    async run({ append, row, session }) {
      const id = await session();
      const status = async () => (await row(id)).status;
      await append(id, [note("begin")], { session: { status: "active", openRun: "run 1" } });
      await append(id, [note("done")], { session: { status: "completed" } });
      for (const wanted of ["suspended", "active", "error"] as const) {
        await append(id, [note(wanted)], { session: { status: wanted } });
        assert.equal(await status(), "completed");
      }
      await append(id, [note("end")], { session: { status: "active", openRun: null }, release: true });
      assert.equal(await status(), "completed");
      assert.equal((await row(id)).openRun, null);
      await append(id, [note("again")], { session: { status: "active", openRun: "run 2" } });
      assert.equal(await status(), "active");
      await append(id, [note("done")], { session: { status: "completed", openRun: null } });
      await append(id, [note("late")], { session: { status: "expired" } });
      assert.equal(await status(), "expired");
    },
  },
  {
    name: "E7 a session that expires during appends stays expired",
    async run({ append, row, session }) {
      const id = await session();
      await Promise.all(
        range(1, 20).map((n) =>
          append(id, [note(`${n}`)], { session: { status: n === 7 ? "expired" : "active" } }),
        ),
      );
      assert.equal((await row(id)).status, "expired");
      assert.equal((await row(id)).lastSeq, 20);
    },
  },
  {
    name: "C11 where context starts is replaced, and kept where the patch does not name it",
    async run({ append, row, session }) {
      const id = await session();
      await append(id, [note("a")], { session: { contextStartSeq: 7 } });
      await append(id, [note("b")], { session: { addPending: 0 } });
      assert.equal((await row(id)).contextStartSeq, 7);
      await append(id, [note("c")], { session: { contextStartSeq: 0 } });
      assert.equal((await row(id)).contextStartSeq, 0);
    },
  },
  {
    name: "E3 metadata is merged key by key",
    async run({ append, row, session }) {
      const id = await session({ metadata: { plan: { a: 1, b: 2 }, kept: [1, null, "ü"] } });
      await append(id, [note("a")], { session: { metadata: { plan: { c: 3 }, summary: "s" } } });
      assert.deepEqual((await row(id)).metadata, { plan: { c: 3 }, kept: [1, null, "ü"], summary: "s" });
      await append(id, [note("b")], { session: { metadata: { summary: null } } });
      await append(id, [note("c")], { session: { metadata: {} } });
      assert.deepEqual((await row(id)).metadata, { plan: { c: 3 }, kept: [1, null, "ü"], summary: null });
    },
  },
  {
    name: "E3 concurrent merges of metadata lose no key",
    async run({ append, row, session }) {
      const id = await session();
      await Promise.all(
        range(1, 20).map((turn) =>
          append(id, [note("a")], { session: { metadata: { [`key ${turn}`]: turn } } }),
        ),
      );
      assert.equal(Object.keys((await row(id)).metadata).length, 20);
    },
  },
  {
    name: "E3 metadata with a NUL or half a surrogate pair is stored with U+FFFD in its place",
    async run({ append, row, session }) {
      const id = await session({ metadata: { a: "nul \0 here" } });
      await append(id, [note("a")], { session: { metadata: { b: "half \ud83d here" } } });
      assert.deepEqual((await row(id)).metadata, { a: "nul \ufffd here", b: "half \ufffd here" });
    },
  },
  {
    name: "E3 an append moves updatedAt, which is the time of its events and never goes back",
    async run({ append, row, session, wait }) {
      const id = await session();
      const made = await row(id);
      assert.equal(made.updatedAt, made.createdAt);
      await wait(5);
      const [first, second] = await append(id, [note("a"), note("b")]);
      assert.ok(first !== undefined && second !== undefined);
      assert.ok(first.at > made.updatedAt && second.at === first.at);
      const after = await row(id);
      assert.equal(after.updatedAt, first.at);
      assert.equal(after.createdAt, made.createdAt);
      const [third] = await append(id, [note("c")]);
      assert.ok(third !== undefined && third.at >= second.at);
    },
  },
];
