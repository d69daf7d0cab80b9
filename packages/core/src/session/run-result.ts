import type { Json, JsonObject } from "../base/json.ts";
import type { StopReason } from "../log/stop-reason.ts";
import type { Usage } from "../model/pricing.ts";
import { type CallState, isWaiting, type RunState, type SessionState } from "./state.ts";

/** How the session's last run came out, as the log tells it. */
export function resultOf(state: SessionState): RunResult {
  const run = state.run as RunState;
  const waiting = run.calls.filter(isWaiting);
  return {
    sessionId: state.sessionId,
    runId: run.runId,
    stop: run.ended ?? { type: "suspended", message: "Waiting for an answer." },
    text: run.texts.join("\n\n"),
    actions: run.calls.map(actionOf),
    turns: run.turns,
    usage: run.usage,
    costUsd: run.costUsd,
    pending: waiting.map(suspensionOf),
  };
}

function actionOf(call: CallState): Action {
  const action: Action = { tool: call.toolName, args: call.arguments };
  if (call.result === undefined) return action;
  return { ...action, result: call.result.data.result, success: call.result.data.success };
}

/** A waiting call as the question that it asks. */
function suspensionOf(call: CallState): Question {
  const { kind, payload, answerSchema, expiresAt, seq } = call.question as NonNullable<CallState["question"]>;
  const { callId, toolName } = call;
  return { callId, toolName, kind, payload, answerSchema, ...(expiresAt && { expiresAt }), seq };
}

/** A tool call of a run and what came of it. */
export interface Action {
  tool: string;
  args: Json;
  /** Absent while the call waits for an answer. */
  result?: Json;
  success?: boolean;
}

/** How a run, or its share until a question, came out. */
export interface RunResult {
  sessionId: string;
  runId: string;
  /**
   * Why it stopped; `suspended` means that it goes on with an answer. Its sentence is for the user: what
   * exactly has failed is in the log, as an `error` event.
   */
  stop: StopReason;
  /** All text of the run, a blank line between turns. */
  text: string;
  actions: Action[];
  turns: number;
  usage: Usage;
  /** US dollars; 0 if the model has no prices. */
  costUsd: number;
  pending: Question[];
}

/** A question that waits for the user. */
export interface Question {
  callId: string;
  toolName: string;
  /** What kind of control fits. */
  kind: string;
  /** What to show. */
  payload: Json;
  /** JSON Schema of an answer. */
  answerSchema: JsonObject;
  /** ISO 8601. */
  expiresAt?: string;
  /** `seq` of the event that asked. */
  seq: number;
}
