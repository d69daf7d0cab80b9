import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import {
  assertSnapshots,
  folded,
  restored,
  snapshotText,
  withoutKept,
} from "../../../../test/support/snapshots.ts";
import { canonicalJson, type JsonObject } from "../../src/base/json.ts";
import { sha256 } from "../../src/base/sha256.ts";
import { stateOf } from "../../src/fold/load.ts";
import { memoryStore, type StoredEvent } from "../../src/index.ts";
import { EVENT_VERSION } from "../../src/log/event.ts";
import { SNAPSHOT_VERSION } from "../../src/log/store/snapshot.ts";
import type { OpenedSession } from "../../src/store.ts";

/** A log with questions, failures, a retry, a redaction, a checkpoint and names of objects' own properties. */
const log = readFileSync(new URL("recorded-log.jsonl", import.meta.url), "utf8")
  .trimEnd()
  .split("\n")
  .map((line) => JSON.parse(line) as StoredEvent);

/** Returns the texts of all snapshots that could be kept of the log. */
function texts(): string[] {
  return log.flatMap((_, index) => snapshotText(folded(log.slice(0, index + 1))) ?? []);
}

describe("a snapshot of a recorded log", () => {
  it("R5 becomes the same state again, and the same one with the rest of the log", () => {
    assertSnapshots(log);
    expect(texts().length).toBeGreaterThan(15);
  });

  // If this fails, a snapshot of before would be a wrong state for this code, or no state at all. Raise
  // SNAPSHOT_VERSION, and put the new version and hash here. A new EVENT_VERSION needs a new one, too: a
  // snapshot hides the versions of its events.
  it("R5 has another version if the fold or its form has changed", async () => {
    const all = texts().map((text) => canonicalJson(JSON.parse(text) as JsonObject));
    const hash = await sha256(all.join("\n"));
    expect({ events: EVENT_VERSION, version: SNAPSHOT_VERSION, hash }).toEqual({
      events: 2,
      version: "8",
      hash: "c1f53c49e7488b82e964de73c9ef5f96a9205979e76184615cae45acd8c29826",
    });
  });

  it("R5 has frozen blocks: nothing that was sent may change", () => {
    for (const { blocks } of restored(texts().at(-1) ?? "").entries)
      for (const part of [blocks, ...blocks]) expect(Object.isFrozen(part)).toBe(true);
  });

  it("R5 does not keep the calls of earlier runs, but what refuses their ids", () => {
    const calls = log.flatMap(({ type, data }) => (type === "tool_call" ? [data.call_id] : []));
    const state = folded(log);
    const last = new Set(state.calls.keys());
    for (const id of calls) expect(state.earlierCalls.includes(`\n${id}\n`)).toBe(!last.has(id));
    expect(last.size).toBeLessThan(3);
  });
});

describe("a snapshot that does not belong to its log", () => {
  const last = texts().at(-1) ?? "";
  const { lastSeq: at } = restored(last);
  const changed = (more: object) => JSON.stringify({ ...(JSON.parse(last) as object), ...more });

  /** Loads the recorded log, whose store returns this snapshot. */
  async function loaded(snapshot: { seq: number; state: string }) {
    const sessionId = log[0]?.sessionId ?? "";
    const store = { ...memoryStore(), read: readRecorded };
    const row = await store.sessions.create({ id: sessionId, userId: "u1", agent: "tester" });
    const opened: OpenedSession = {
      session: { ...row, lastSeq: log.length },
      lease: { sessionId, holder: "one", epoch: 1, acquiredAt: "" },
      events: log.slice(snapshot.seq),
      snapshot,
    };
    return await stateOf(store, opened);
  }

  async function* readRecorded(_: string, { afterSeq = 0 } = {}) {
    yield* log.slice(afterSeq);
  }

  it("R5 is used if it is the right one", async () => {
    const { state, snapshotSeq } = await loaded({ seq: at, state: last });
    expect(snapshotSeq).toBe(at);
    expect(withoutKept(state)).toStrictEqual(withoutKept(folded(log)));
  });

  it.each([
    ["is no JSON", { seq: at, state: last.slice(0, -10) }],
    ["is empty", { seq: at, state: "" }],
    ["is null", { seq: at, state: "null" }],
    ["is a list", { seq: at, state: "[]" }],
    ["lacks everything", { seq: at, state: "{}" }],
    ["is of another session", { seq: at, state: changed({ sessionId: "other" }) }],
    ["is ahead of its log", { seq: 5_000, state: changed({ lastSeq: 5_000 }) }],
    ["is of another event than the store says", { seq: at, state: changed({ lastSeq: at - 1 }) }],
    [
      "has calls that are not there",
      { seq: at, state: changed({ run: { calls: [], succeeded: [["k", 3]] } }) },
    ],
    ["has no entries", { seq: at, state: changed({ entries: null }) }],
  ])("R5 is ignored if it %s", async (_, snapshot) => {
    const { state, snapshotSeq } = await loaded(snapshot);
    expect(snapshotSeq).toBe(0);
    expect(state).toStrictEqual(folded(log));
  });

  it("R5 changes no object's prototype", async () => {
    const evil = last.replace("{", '{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}},');
    const { state } = await loaded({ seq: at, state: evil });
    expect(({} as { polluted?: number }).polluted).toBeUndefined();
    expect((state as { polluted?: number }).polluted).toBeUndefined();
    expect(Object.getPrototypeOf(state)).toBe(Object.prototype);
  });
});
