import { deepFreeze } from "../base/freeze.ts";
import type { JsonObject } from "../base/json.ts";
import type { RunQuestion } from "../session/asking.ts";
import { newKeptParts } from "../session/context-entry.ts";
import {
  type CallState,
  openRun,
  type RunState,
  type SessionState,
  type TaskState,
  type TurnState,
} from "../session/state.ts";

/**
 * Returns a session's state as JSON, which {@link stateFrom} reads. Returns `undefined` while a run is open.
 */
export function snapshotOf(state: SessionState): JsonObject | undefined {
  if (openRun(state) !== undefined) return undefined;
  // Leaves out `calls` and `asked`, which `run` has too, and `kept`, which is only a cache.
  const { run, calls: _, asked: __, kept: ___, ownTags, earlierQuestions, ...plain } = state;
  return {
    ...plain,
    ownTags: [...ownTags],
    earlierQuestions: [...earlierQuestions],
    ...(run !== undefined && { run: runToJson(run) }),
  } as unknown as JsonObject;
}

/** Returns the state that a snapshot has. Throws for JSON that is not a snapshot. */
export function stateFrom(snapshot: JsonObject): SessionState {
  const { run: stored, ownTags, earlierQuestions, ...plain } = snapshot as unknown as Written;
  const run = stored && runFrom(stored);
  // Freezes the blocks, because sent context must never change.
  for (const { blocks } of plain.entries) deepFreeze(blocks);
  return {
    ...plain,
    // JSON leaves out `undefined`: these fields must be there all the same.
    prefix: plain.prefix,
    userData: plain.userData,
    counted: plain.counted,
    ownTags: new Map(ownTags),
    earlierQuestions: new Map(earlierQuestions),
    run,
    calls: byId(run?.calls),
    asked: byId(run?.asked),
    kept: newKeptParts(),
  };
}

/** The JSON form of a state. Maps are lists of entries, and `undefined` fields are absent. */
type Written = Omit<SessionState, "run" | "calls" | "asked" | "kept" | "ownTags" | "earlierQuestions"> & {
  ownTags: [string, number][];
  earlierQuestions: [string, number][];
  run?: WrittenRun;
};

function byId<A extends { callId: string }>(list: readonly A[] = []): Map<string, A> {
  return new Map(list.map((item) => [item.callId, item]));
}

/** The JSON form of a run's state. `calls` has each call once; other fields refer to it by its index. */
export type WrittenRun = Omit<RunState, "turn" | "succeeded" | "effects"> & {
  /** `calls` is the number of the turn's calls, which are the last ones of the run. */
  turn?: Omit<TurnState, "calls"> & { calls: number };
  succeeded: [key: string, index: number][];
  effects: [string, "begun" | "over"][];
};

/** Returns a run's state as JSON. */
export function runToJson({ turn, succeeded, effects, ...plain }: RunState): JsonObject {
  const index = new Map(plain.calls.map((call, position) => [call, position]));
  const written = {
    ...plain,
    ...(turn !== undefined && { turn: { ...turn, calls: turn.calls.length } }),
    succeeded: Array.from(succeeded, ([key, call]) => [key, index.get(call)]),
    effects: [...effects],
  };
  return written as unknown as JsonObject;
}

/** Returns the state of a run from its JSON form. Throws for JSON that is not a run. */
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
    // `since` and `tools` may be `undefined`, too.
    work: { ...plain.work, since: plain.work.since },
    ...(plain.agentChange && { agentChange: { ...plain.agentChange, tools: plain.agentChange.tools } }),
    calls,
    tasks: plain.tasks.map((task): TaskState => ({ ...callFrom(task), by: task.by, over: task.over })),
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

// Restore the fields that are `undefined`, which JSON leaves out.

const NOTHING_YET = {
  agentChange: undefined,
  attempt: undefined,
  refusedAt: undefined,
  openRequest: undefined,
  landing: undefined,
  ending: undefined,
  blocked: undefined,
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
  about: undefined,
  started: undefined,
  result: undefined,
} satisfies Partial<CallState>;
