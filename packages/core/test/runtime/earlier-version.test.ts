import { describe, expect, it } from "vitest";
import { changedEvents } from "../../../../test/support/changed-events.ts";
import { eachWay } from "../../../../test/support/each-way.ts";
import type { EventStore, StoredEvent } from "../../src/index.ts";
import { until, user } from "../support/setup.ts";
import { answersOf, asking, boot, clean, isOver, polling, resultOf, script } from "../support/waits.ts";

/** The log as a process of a version without expiry and waits reads it, and writes to it. */
function asEarlierVersion(inner: EventStore): EventStore {
  const known = ({ type, data, ...event }: StoredEvent) => {
    const {
      expires: _,
      hidden: __,
      expired: ___,
      wake_at: ____,
      ...rest
    } = data as { [field: string]: unknown };
    return { ...event, type, data: rest } as unknown as StoredEvent;
  };
  return {
    ...changedEvents(inner, known),
    append: async (id, events, { session, ...options }) => {
      const { wakeAt: _, ...patch } = session ?? {};
      const written = events.map((event) => known(event as StoredEvent));
      return await inner.append(id, written, { ...options, session: patch });
    },
    // It knows only the status and the number of questions.
    listRecoverable: async ({ limit }) => {
      const all = await inner.sessions.list({ userId: "u1", limit });
      return all.filter(({ openRun, status }) => openRun !== null && status !== "suspended");
    },
  };
}

describe.each(eachWay("open"))("a process of an earlier version, over a store %s", (_way, as) => {
  it.each([
    ["a wait", polling, { questions: 3 }],
    ["a question that expires", asking, { value: { ok: false }, expired: true }],
  ])(
    "F25 F26 takes %s for a question without a limit, and a newer process continues it",
    async (_, execute, outcome) => {
      const first = boot([clean(execute)]);
      const { clock, store } = first;
      const { sessionId } = await first.pawl.run("tester", { ...user, input: "Go" }).started;
      await until(async () => (await first.of(sessionId, "run_suspended")).length === 1);
      await first.pawl.drain();
      const older = boot([clean(execute)], {
        clock,
        store: as(asEarlierVersion(store)),
        left: [],
      });
      for (let sweep = 0; sweep < 3; sweep += 1) {
        await older.pawl.sweep();
        await clock.advance(1_000);
      }
      await older.pawl.drain();
      expect((await first.log(sessionId)).filter(({ type }) => type === "run_suspended").length).toBeLessThan(
        3,
      );
      expect(await answersOf(first, sessionId)).toEqual([]);
      const newer = boot([clean(execute)], { clock, store, left: script.slice(1) });
      newer.pawl.start();
      for (let minute = 0; minute < 5; minute += 1) await clock.advance(60_001);
      expect(await isOver(newer, sessionId)).toBe(true);
      expect(await resultOf(newer, sessionId)).toMatchObject({ success: true, result: outcome });
      await newer.pawl.drain();
    },
  );
});
