import type { StoredEvent, StoredOf } from "../events/event.ts";
import type { SessionStatus } from "../events/session-row.ts";
import type { Json, JsonObject } from "../json.ts";
import type { ContentBlock, TextBlock, ToolSpec } from "../model/content.ts";
import type { Usage } from "../model/pricing.ts";
import type { StopReason } from "../stop/stop-reason.ts";

/** One tool call and how far it has come. */
export interface CallState {
  callId: string;
  toolName: string;
  /** Its place among all calls of the session. */
  place: number;
  arguments: Json;
  /** Why the arguments could not be read. */
  invalid: string | undefined;
  /** `seq` of the assistant message that made the call; with `callId` it names the call in event keys. */
  assistantSeq: number;
  asked:
    | { kind: string; payload: Json; answerSchema: JsonObject; expiresAt?: string; seq: number }
    | undefined;
  answer: { value: Json; closed: string | undefined } | undefined;
  started: { idempotencyKey: string } | undefined;
  result: StoredOf<"tool_result"> | undefined;
}

/** The last answer of the model in a run. */
export interface TurnState {
  assistantSeq: number;
  stopReason: string | null;
  calls: CallState[];
}

/** A run, folded from the log over all its legs. */
export interface RunState {
  runId: string;
  /** `seq` of its `run_started`. */
  seq: number;
  agent: string;
  agentVersion: string;
  /** Answers of the model so far. */
  turns: number;
  usage: Usage;
  costCents: number;
  /** Texts of the turns, in order. */
  texts: string[];
  calls: CallState[];
  turn: TurnState | undefined;
  /** An `llm_request` that nothing has come of yet. */
  attempt: { seq: number; estimatedTokens: number } | undefined;
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
  inLeg: boolean;
  /** Recoveries since the run last got further. */
  recoveries: number;
  ended: StopReason | undefined;
}

/** A piece of the model's context, in the order in which it was first sent. */
export interface ContextEntry {
  role: "user" | "assistant";
  blocks: ContentBlock[];
  /** Length of the blocks as JSON, for the token estimate. */
  chars: number;
  /** The event that it comes from. */
  seq: number;
}

/** What system and tools are sent with every request. */
export interface Prefix {
  id: string;
  system: TextBlock[];
  tools: ToolSpec[];
  chars: number;
}

/** A session, folded from its log. It is changed in place by `applyEvent` and by nothing else. */
export interface SessionState {
  sessionId: string;
  lastSeq: number;
  prefix: Prefix | undefined;
  /** The user data that the model was last told, in its tag. */
  userData: string | undefined;
  /** Context that was sent, in the order of admission. */
  entries: ContextEntry[];
  /** Context that no request has covered yet. */
  waiting: StoredEvent[];
  /** How many entries the hash of the last request covers, and that hash. */
  hashed: { entries: number; hash: string };
  /** The open run, or the last one. */
  run: RunState | undefined;
  /** Every call of the session by its id. */
  calls: Map<string, CallState>;
}

export function newSessionState(sessionId: string): SessionState {
  return {
    sessionId,
    lastSeq: 0,
    prefix: undefined,
    userData: undefined,
    entries: [],
    waiting: [],
    hashed: { entries: 0, hash: "" },
    run: undefined,
    calls: new Map(),
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
  return call.asked !== undefined && call.answer === undefined && call.result === undefined;
}
