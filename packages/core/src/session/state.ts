import type { Json, JsonObject } from "../base/json.ts";
import { type AnswerLimit, type Budget, nothingSpent } from "../log/budget.ts";
import type { StoredEvent, StoredOf } from "../log/event.ts";
import type { SessionStatus } from "../log/session-row.ts";
import type { StopReason } from "../log/stop-reason.ts";
import type { TextBlock, ToolSpec } from "../model/content.ts";
import type { Usage } from "../model/pricing.ts";
import { type ContextEntry, type KeptParts, newKeptParts } from "./context-entry.ts";
import type { OpenAttempt } from "./open-attempt.ts";
import type { WorkTime } from "./work-time.ts";

/** A question to the user, as it is on record. */
export interface QuestionRecord {
  kind: string;
  payload: Json;
  answerSchema: JsonObject;
  expiresAt?: string;
  seq: number;
  /** The hook that asks; the tool itself when absent. */
  by?: string;
  /** The call's input, where a hook had changed it by then. */
  input?: Json;
  /**
   * The call that asks, in the session of an agent that does the work, and the `seq` of the question there.
   */
  child?: { sessionId: string; callId: string; question: number };
}

/** One tool call and how far it has come. */
export interface CallState {
  callId: string;
  toolName: string;
  /** Its place among all calls of the session. */
  place: number;
  arguments: Json;
  /** What is called with what: equal for equal calls. */
  key: string;
  /** Why it cannot be run as the model made it. */
  invalid: string | undefined;
  /** It is refused through no fault of its tool's, for this reason. */
  skipped: string | undefined;
  /** `seq` of the assistant message that made the call; with `callId` it names the call in event keys. */
  assistantSeq: number;
  /** The question that it waits for or waited for last, and the answer to it. */
  question: QuestionRecord | undefined;
  answer: { value: Json; error: string | undefined; closed: string | undefined } | undefined;
  /** What the agent that does the work has used up, as far as the run was charged with it. */
  charged: { usage: Usage; costUsd: number };
  /** How many questions it has asked. */
  questions: number;
  /**
   * `input` is what the tool is given, where a hook has changed that; `slice` limits the agent that does the
   * work.
   */
  started: { idempotencyKey: string; input?: Json; slice?: Partial<Budget> } | undefined;
  result: StoredOf<"tool_result"> | undefined;
}

/** The last answer of the model in a run. */
export interface TurnState {
  assistantSeq: number;
  stopReason: string | null;
  /** The code of the error that was logged with it: the answer breaks the model's contract. */
  problem: string | undefined;
  /** The model was reminded to call a tool, and is to answer again. */
  reminded: boolean;
  calls: CallState[];
  /** The tools that may run in this turn; all when absent. */
  tools: readonly string[] | undefined;
  /** The limit that left the answer no more than its `max_tokens`. */
  limitedBy: AnswerLimit | undefined;
}

/** A run, folded from the log over all its legs. */
export interface RunState {
  runId: string;
  /** `seq` of its `run_started`. */
  seq: number;
  agent: string;
  agentVersion: string;
  /** What it was asked with beside its message, see `RunOptions.params`; empty when absent. */
  params: JsonObject;
  /** Answers of the model so far. */
  turns: number;
  usage: Usage;
  /** US dollars. */
  costUsd: number;
  /** Texts of the turns, in order. */
  texts: string[];
  calls: CallState[];
  turn: TurnState | undefined;
  /** Answers in a row that the model has paused. */
  pauses: number;
  /** An `llm_request` that nothing has come of yet. */
  attempt: OpenAttempt | undefined;
  /** `seq` of the last `llm_request`, as long as its turn has no answer. */
  openRequest: number | undefined;
  /** Successful calls of the run, by their `key`. */
  succeeded: Map<string, CallState>;
  /** Time at work in the legs before the one that goes on now. */
  work: WorkTime;
  /** The run is given one last turn, after so many; why it ends then. */
  landing: { stop: StopReason; turns: number } | undefined;
  /** Effects of the run's end, by name, once they have begun; why it ends. */
  effects: Map<string, "begun" | "over">;
  ending: StopReason | undefined;
  /** The model was reminded to call a tool. */
  reminded: boolean;
  stopRequested: boolean;
  /** `seq` of the first request to stop. */
  stopSeq: number | undefined;
  /** The user has written something else instead of waiting for the end. */
  interrupted: boolean;
  /** A checkpoint could not be made; none is tried again in this run. */
  checkpointFailed: boolean;
  /** What a tool wants the session to be once the run is over. */
  sessionStatus: SessionStatus | undefined;
  /** A leg is at work, or was when its process died. */
  unsettled: boolean;
  /** Recoveries since the run last got further. */
  recoveries: number;
  ended: StopReason | undefined;
  /** It left the session in status `error`. */
  failed: boolean;
}

/** What system and tools are sent with every request. */
export interface RequestPrefix {
  id: string;
  system: TextBlock[];
  tools: ToolSpec[];
  chars: number;
}

/** A session, folded from its log. It is changed in place by `applyEvent` and by nothing else. */
export interface SessionState {
  sessionId: string;
  lastSeq: number;
  prefix: RequestPrefix | undefined;
  /** The user data that the model was last told, in its tag. */
  userData: string | undefined;
  /** Context that was sent, in the order of admission. */
  entries: ContextEntry[];
  /** Context that no request has covered yet. */
  unsent: StoredEvent[];
  /**
   * Messages that came while a run was at work and that no request has covered yet; a checkpoint is no
   * request.
   */
  queued: StoredOf<"user_message">[];
  /** How many entries the hash of the last request covers, and that hash. */
  hashed: { entries: number; hash: string };
  /** `seq` of the last `llm_request`; 0 before the first. */
  requestSeq: number;
  /** What the runs before the open one have used up. */
  spent: Budget;
  /** The mode that a tool has set; the session's type is what goes without one. */
  mode: string | null;
  /** The open run, or the last one. */
  run: RunState | undefined;
  /** Every call of the session by its id. */
  calls: Map<string, CallState>;
  /**
   * Parts of earlier requests that the next one reuses.
   *
   * @internal
   */
  readonly kept: KeptParts;
}

export function newSessionState(sessionId: string): SessionState {
  return {
    sessionId,
    lastSeq: 0,
    prefix: undefined,
    userData: undefined,
    entries: [],
    unsent: [],
    queued: [],
    hashed: { entries: 0, hash: "" },
    requestSeq: 0,
    spent: nothingSpent,
    mode: null,
    run: undefined,
    calls: new Map(),
    kept: newKeptParts(),
  };
}

/** The run that is open, if one is. */
export function openRun(state: SessionState): RunState | undefined {
  return state.run !== undefined && state.run.ended === undefined ? state.run : undefined;
}

/** Calls of the last turn that have no result yet. */
export function unanswered(run: RunState): CallState[] {
  return run.turn === undefined ? [] : run.turn.calls.filter((call) => call.result === undefined);
}

/** Whether a call waits for the user. */
export function isWaiting(call: CallState): boolean {
  return call.question !== undefined && call.answer === undefined && call.result === undefined;
}
