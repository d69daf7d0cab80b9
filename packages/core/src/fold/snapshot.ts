import type { Json, JsonObject } from "../base/json.ts";
import { newKeptParts } from "../session/context-entry.ts";
import { type CallState, openRun, type RunState, type SessionState } from "../session/state.ts";

/**
 * Returns a session's state as JSON, from which `stateFrom` makes the same state. Returns `undefined` while a
 * run is open.
 */
export function snapshotOf(state: SessionState): JsonObject | undefined {
  if (openRun(state) !== undefined) return undefined;
  // Calls and questions are those of the run, and `kept` is made again.
  const { run, calls: _, asked: __, kept: ___, ownTags, earlier, ...plain } = state;
  return {
    ...plain,
    ownTags: [...ownTags],
    earlier: [...earlier],
    ...(run !== undefined && { run: runToJson(run) }),
  } as unknown as JsonObject;
}

/** Returns the state of a snapshot. */
export function stateFrom(snapshot: JsonObject): SessionState {
  const { run: stored, ownTags, earlier, ...plain } = snapshot as unknown as Written;
  const run = stored && runFrom(stored);
  return {
    ...withFields({ prefix: undefined, userData: undefined }, plain),
    ownTags: new Map(ownTags),
    earlier: new Map(earlier),
    run,
    calls: byId(run?.calls),
    asked: byId(run?.asked),
    kept: newKeptParts(),
  };
}

type Written = Omit<SessionState, "run" | "calls" | "asked" | "kept" | "ownTags" | "earlier"> & {
  ownTags: [string, number][];
  earlier: [string, number][];
  run?: WrittenRun;
};

type WrittenRun = Omit<RunState, "turn" | "succeeded" | "effects"> & {
  /** The turn's calls are the last ones of the run. */
  turn?: Omit<NonNullable<RunState["turn"]>, "calls"> & { calls: number };
  succeeded: [string, callId: string][];
  effects: [string, "begun" | "over"][];
};

function runToJson({ turn, succeeded, effects, ...plain }: RunState): Json {
  return {
    ...plain,
    ...(turn !== undefined && { turn: { ...turn, calls: turn.calls.length } }),
    succeeded: Array.from(succeeded, ([key, { callId }]) => [key, callId]),
    effects: [...effects],
  } as unknown as Json;
}

/** Returns `given` with the fields that may be `undefined`, which JSON leaves out. */
function withFields<T extends object>(fields: Partial<T>, given: T): T {
  return { ...fields, ...given };
}

function runFrom({ turn, succeeded, effects, ...plain }: WrittenRun): RunState {
  const run = withFields(NOTHING_YET, plain);
  const calls = run.calls.map((call) => withFields(NOTHING_OF_CALL, call));
  const asked = run.asked.map((question) => withFields({ answer: undefined }, question));
  const found = byId(calls);
  return {
    ...run,
    calls,
    asked,
    turn: turn && { ...withFields(NOTHING_OF_TURN, turn), calls: calls.slice(calls.length - turn.calls) },
    succeeded: new Map(
      succeeded.flatMap(([key, callId]) => {
        const call = found.get(callId);
        return call === undefined ? [] : [[key, call] as const];
      }),
    ),
    effects: new Map(effects),
  };
}

const NOTHING_YET = {
  agentChange: undefined,
  attempt: undefined,
  openRequest: undefined,
  landing: undefined,
  ending: undefined,
  stopSeq: undefined,
  sessionStatus: undefined,
  cause: undefined,
  ended: undefined,
} satisfies Partial<RunState>;

const NOTHING_OF_TURN = {
  problem: undefined,
  output: undefined,
  tools: undefined,
  limitedBy: undefined,
};

const NOTHING_OF_CALL = {
  invalid: undefined,
  skipped: undefined,
  question: undefined,
  answer: undefined,
  started: undefined,
  result: undefined,
} satisfies Partial<CallState>;

function byId<A extends { callId: string }>(list: readonly A[] = []): Map<string, A> {
  return new Map(list.map((one) => [one.callId, one]));
}
