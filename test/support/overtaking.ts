import type { EventStore } from "@pawl/core";
import fc from "fast-check";
import { databaseUser } from "./database-user.ts";

/** Something that another process stores right before the leg's append with this number, from 1. */
interface Overtaking {
  before: number;
  what: "event" | "message" | "stop";
}

/** How often events were stored right before an append of a leg, by the types of the append's events. */
export const overtook = new Map<string, number>();

export const overtaking: fc.Arbitrary<readonly Overtaking[]> = fc.array(
  fc.record({
    before: fc.integer({ min: 1, max: 40 }),
    what: fc.constantFrom("event", "event", "message", "stop"),
  }),
  { maxLength: 8 },
);

/** A store in which other processes store something right before some of the appends of a session's legs. */
export function overtaken(inner: EventStore, sessionId: string, all: readonly Overtaking[]): EventStore {
  let appends = 0;
  const by = databaseUser(inner, sessionId);
  const store = async (what: Overtaking["what"]) => {
    const appendId = `overtaking:${crypto.randomUUID()}`;
    if (what === "message") return await by.message("And hurry.", appendId);
    const row = await inner.sessions.get(sessionId);
    if (what === "event") await inner.append(sessionId, [{ type: "app.mark", data: {} }], { appendId });
    else if (row?.openRun) {
      const events = [{ type: "stop_requested", data: { run_id: row.openRun } }] as const;
      await inner.append(sessionId, events, { appendId, session: { wakes: true } });
    }
  };
  return {
    ...inner,
    append: async (id, events, options) => {
      if (id !== sessionId || options.lease === undefined) return await inner.append(id, events, options);
      appends += 1;
      for (const { what } of all.filter(({ before }) => before === appends)) {
        const types = events.map(({ type }) => type).join(" ");
        overtook.set(types, (overtook.get(types) ?? 0) + 1);
        await store(what);
      }
      return await inner.append(id, events, options);
    },
  };
}
