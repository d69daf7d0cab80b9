import { agent, runtime, type StoredEvent } from "@pawl/core";
import { scriptedModel } from "@pawl/testing";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { noStack } from "../packages/supabase/test/support/stack.ts";
import { copyInto, longLog } from "./support/long-sessions.ts";
import { testDatabase } from "./support/postgres.ts";
import { type CountedStore, countedStores } from "./support/trip-stores.ts";

/** How many events a message begins with, beside the snapshot. */
const TAIL = 100;

/** A call's id with a line break. That is all that a snapshot keeps of an earlier call. */
const ID_BYTES = "\\ntoolu_0123456789abcdef01234567".length;

let short: StoredEvent[];
let long: StoredEvent[];
beforeAll(async () => {
  [short, long] = await Promise.all([longLog(300, "constant"), longLog(2_000, "constant")]);
}, 60_000);

describe.each(Object.entries(countedStores))("a message in a long session, %s", (name, make) => {
  let counted: CountedStore | undefined;
  beforeAll(async () => {
    if (name !== "Supabase" || noStack === undefined) counted = await make(() => testDatabase());
  }, 60_000);
  afterAll(() => counted?.close());

  /** Sends a message in a copy of the log. Returns what was read until the model was asked. */
  async function sent({ store, trips }: CountedStore, log: readonly StoredEvent[]) {
    const { id, snapshotSeq } = await copyInto(store, log, TAIL);
    let first: typeof trips.list | undefined;
    const model = scriptedModel(() => {
      first ??= [...trips.list];
      return { text: "Fine." };
    });
    const coach = agent({ name: "coach", model, instructions: "Help." });
    const rows: number[] = [];
    const counting: typeof store = {
      ...store,
      open: async (wanted) => {
        const opened = await store.open?.(wanted);
        rows.push(opened?.events.length ?? 0);
        return opened;
      },
    };
    trips.list.length = 0;
    const { stop } = await runtime({ agents: [coach], store: counting }).run("coach", {
      userId: "u1",
      sessionId: id,
      input: "Hello.",
    }).result;
    expect(stop.type).toBe("end_turn");
    expect(rows).toEqual([log.length - snapshotSeq]);
    expect(first?.map(({ kind }) => kind)).toEqual(["open", "append"]);
    return { bytes: first?.[0]?.received ?? 0 };
  }

  it("R5 reads the snapshot and the events after it, in one trip", async () => {
    if (counted === undefined) return;
    const ofShort = await sent(counted, short);
    const ofLong = await sent(counted, long);
    const calls = (log: readonly StoredEvent[]) => log.filter(({ type }) => type === "tool_call").length;
    const ids = (calls(long) - calls(short)) * ID_BYTES;
    // The contexts, and the events after the snapshots, differ by a few runs.
    expect((ofLong.bytes - ids) / ofShort.bytes).toBeLessThan(1.5);
    expect((ofLong.bytes - ids) / ofShort.bytes).toBeGreaterThan(0.6);
    expect(JSON.stringify(long).length / ofLong.bytes).toBeGreaterThan(8);
  });
});
