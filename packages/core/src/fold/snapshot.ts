import { deepFreeze } from "../base/freeze.ts";
import type { JsonObject } from "../base/json.ts";
import type { RunQuestion } from "../session/asking.ts";
import { newKeptParts } from "../session/context-entry.ts";
import {
  type CallState,
  openRun,
  type RunState,
  type SessionState,
  type TurnState,
} from "../session/state.ts";

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

/** A run's state as JSON. Calls that are in several places are written once, and named by their index. */
export type WrittenRun = Omit<RunState, "turn" | "succeeded" | "effects"> & {
  /** `calls` is the number of the turn's calls, which are the last ones of the run. */
  turn?: Omit<TurnState, "calls"> & { calls: number };
  succeeded: [key: string, index: number][];
  effects: [string, "begun" | "over"][];
};

/** Returns a run's state as JSON. */
export function runToJson({ turn, succeeded, effects, ...plain }: RunState): JsonObject {
  const index = new Map(plain.calls.map((call, at) => [call, at]));
  const written = {
    ...plain,
    ...(turn !== undefined && { turn: { ...turn, calls: turn.calls.length } }),
    succeeded: Array.from(succeeded, ([key, call]) => [key, index.get(call)]),
    effects: [...effects],
  };
  return written as unknown as JsonObject;
}

/** Returns the state of a run. Throws for JSON that is no run. */
export function runFrom({ turn, succeeded, effects, ...plain }: WrittenRun): RunState {
  const calls = plain.calls.map(callFrom);
  const callAt = (index: number): CallState => {
    const call = calls[index];
    if (call === undefined) throw new TypeError(`The snapshot has no call ${index}.`);
    return call;
  };
  return {
    ...NOTHING_YET,
    ...plain,
    work: { ...plain.work, since: plain.work.since },
    ...(plain.agentChange && { agentChange: { ...plain.agentChange, tools: plain.agentChange.tools } }),
    calls,
    asked: plain.asked.map((asked): RunQuestion => ({ ...asked, answer: answerFrom(asked.answer) })),
    turn: turn && { ...NOTHING_OF_TURN, ...turn, calls: calls.slice(calls.length - turn.calls) },
    succeeded: new Map(succeeded.map(([key, index]) => [key, callAt(index)])),
    effects: new Map(effects),
  };
}

function callFrom(call: CallState): CallState {
  return { ...NOTHING_OF_CALL, ...call, answer: answerFrom(call.answer) };
}

function answerFrom(answer: CallState["answer"]): CallState["answer"] {
  return answer && { ...answer, error: answer.error, closed: answer.closed };
}

// JSON leaves out fields that are `undefined`.

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
} satisfies Partial<TurnState>;

const NOTHING_OF_CALL = {
  invalid: undefined,
  skipped: undefined,
  question: undefined,
  answer: undefined,
  started: undefined,
  result: undefined,
} satisfies Partial<CallState>;
