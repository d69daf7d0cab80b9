import { deepFreeze } from "../base/freeze.ts";
import type { JsonObject } from "../base/json.ts";
import { newKeptParts } from "../session/context-entry.ts";
import { openRun, type SessionState } from "../session/state.ts";
import { runFrom, runToJson, type WrittenRun } from "./snapshot-run.ts";

/**
 * Returns a session's state as JSON, from which {@link stateFrom} makes the same state. Returns `undefined`
 * while a run is open.
 */
export function snapshotOf(state: SessionState): JsonObject | undefined {
  if (openRun(state) !== undefined) return undefined;
  // The calls and questions of the session are those of its last run, and `kept` is derived.
  const { run, calls: _, asked: __, kept: ___, ownTags, earlierQuestions, ...plain } = state;
  return {
    ...plain,
    ownTags: [...ownTags],
    earlierQuestions: [...earlierQuestions],
    ...(run !== undefined && { run: runToJson(run) }),
  } as unknown as JsonObject;
}

/** Returns the state of a snapshot. Throws for JSON that is no snapshot. */
export function stateFrom(snapshot: JsonObject): SessionState {
  const { run: stored, ownTags, earlierQuestions, ...plain } = snapshot as unknown as Written;
  const run = stored && runFrom(stored);
  // Nothing that was sent may change.
  for (const { blocks } of plain.entries) deepFreeze(blocks);
  return {
    ...plain,
    prefix: plain.prefix,
    userData: plain.userData,
    ownTags: new Map(ownTags),
    earlierQuestions: new Map(earlierQuestions),
    run,
    calls: byId(run?.calls),
    asked: byId(run?.asked),
    kept: newKeptParts(),
  };
}

/** A state as JSON, which has no maps and leaves out what is `undefined`. */
type Written = Omit<SessionState, "run" | "calls" | "asked" | "kept" | "ownTags" | "earlierQuestions"> & {
  ownTags: [string, number][];
  earlierQuestions: [string, number][];
  run?: WrittenRun;
};

function byId<A extends { callId: string }>(list: readonly A[] = []): Map<string, A> {
  return new Map(list.map((one) => [one.callId, one]));
}
