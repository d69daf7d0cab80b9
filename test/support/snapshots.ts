import assert from "node:assert/strict";
import type { EventStore, JsonObject, StoredEvent } from "@pawl/core";
import { applyEvent } from "../../packages/core/src/fold/apply.ts";
import { snapshotOf, stateFrom } from "../../packages/core/src/fold/snapshot.ts";
import { newKeptParts } from "../../packages/core/src/session/context-entry.ts";
import { newSessionState } from "../../packages/core/src/session/new-state.ts";
import type { SessionState } from "../../packages/core/src/session/state.ts";

/** Returns the state after these events. */
export function folded(log: readonly StoredEvent[], from?: SessionState): SessionState {
  const state = from ?? newSessionState(log[0]?.sessionId ?? "");
  for (const event of log) applyEvent(state, event);
  return state;
}

/** Returns the text of a state's snapshot; `undefined` while a run is open. */
export function snapshotText(state: SessionState): string | undefined {
  const snapshot = snapshotOf(state);
  return snapshot && JSON.stringify(snapshot);
}

/** Returns the state of a snapshot's text. */
export function restored(text: string): SessionState {
  return stateFrom(JSON.parse(text) as JsonObject);
}

/** Returns a state without the parts of requests that it keeps to save time. */
export function withoutKept(state: SessionState): SessionState {
  return { ...state, kept: newKeptParts() };
}

/**
 * Asserts that each state of the log without an open run is restored from its snapshot, and becomes the same
 * state with the rest of the log.
 */
export function assertSnapshots(log: readonly StoredEvent[]): void {
  const state = newSessionState(log[0]?.sessionId ?? "");
  const texts: { text: string; at: number }[] = [];
  for (const [index, event] of log.entries()) {
    applyEvent(state, event);
    const text = snapshotText(state);
    if (text === undefined) continue;
    const again = restored(text);
    assert.deepStrictEqual(again, withoutKept(state), `the snapshot after event ${event.seq}`);
    assertShared(again);
    texts.push({ text, at: index + 1 });
  }
  for (const { text, at } of texts) {
    const later = folded(log.slice(at), restored(text));
    assert.deepStrictEqual(withoutKept(later), withoutKept(state), `the log after the snapshot of ${at}`);
  }
}

/** Asserts that each call of the run is one object, wherever the state has it. */
function assertShared({ run, calls, asked }: SessionState): void {
  for (const call of calls.values()) assert.ok(run?.calls.includes(call));
  for (const question of asked.values()) assert.ok(run?.asked.includes(question));
  for (const call of run?.turn?.calls ?? []) assert.equal(calls.get(call.callId), call);
  for (const call of run?.succeeded.values() ?? []) assert.ok(run?.calls.includes(call));
}

/** Counts the sessions that were opened with a snapshot. */
export const opened = { withSnapshot: 0 };

/**
 * Wraps a store: `open` returns a snapshot of the last state without an open run, as if one were kept at the
 * end of each run.
 */
export function eagerSnapshots(store: EventStore): EventStore {
  return {
    ...store,
    open: async (wanted) => {
      const found = await store.open?.({ ...wanted, afterSeq: 0 });
      if (found?.lease === undefined || wanted.snapshot === undefined) return found;
      const last = found.events.findLastIndex(({ type }) => type === "run_ended");
      const text = snapshotText(folded(found.events.slice(0, last + 1)));
      if (last === -1 || text === undefined) return found;
      opened.withSnapshot += 1;
      return { ...found, snapshot: { seq: last + 1, state: text }, events: found.events.slice(last + 1) };
    },
  };
}
