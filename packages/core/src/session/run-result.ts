import type { Json } from "../base/json.ts";
import type { StopReason } from "../log/stop-reason.ts";
import type { Usage } from "../model/pricing.ts";
import { type CallState, isWaiting, type QuestionRecord, type RunState, type SessionState } from "./state.ts";

/** Returns the result of the session's last run, derived from the log. */
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
    pending: waiting.map(questionOf),
  };
}

function actionOf(call: CallState): Action {
  const action: Action = { tool: call.toolName, args: call.arguments };
  if (call.result === undefined) return action;
  return { ...action, result: call.result.data.result, success: call.result.data.success };
}

/** Returns the question that a waiting call asks. */
function questionOf(call: CallState): Question {
  const { kind, payload, answerSchema, expiresAt, seq } = call.question as NonNullable<CallState["question"]>;
  const { callId, toolName } = call;
  return { callId, toolName, kind, payload, answerSchema, ...(expiresAt && { expiresAt }), seq };
}

/** A tool call of a run and its result. */
export interface Action {
  /** The tool's name. */
  tool: string;
  /** The call's input as the model wrote it. */
  args: Json;
  /** Absent while the call waits for an answer. */
  result?: Json;
  /** Whether the call succeeded. Absent while the call waits for an answer. */
  success?: boolean;
}

/** The outcome of a run that has ended or waits for an answer. */
export interface RunResult {
  /** Id of the session. Pass it to `runtime.run()` to continue the conversation. */
  sessionId: string;
  /** Id of the run. */
  runId: string;
  /**
   * Why the run stopped. `suspended` means that it waits for an answer. The message is for the user; details
   * of a failure are in the log, in an `error` event.
   */
  stop: StopReason;
  /** All text of the run, with a blank line between turns. */
  text: string;
  /** All tool calls of the run, in order. */
  actions: Action[];
  /** Answers of the model. */
  turns: number;
  /** Total tokens of the run. */
  usage: Usage;
  /** Cost of the run in US dollars; 0 if the model has no prices. */
  costUsd: number;
  /** The questions that wait for an answer. */
  pending: Question[];
}

/** A question that waits for the user's answer. */
export interface Question extends Omit<QuestionRecord, "by" | "input" | "child"> {
  /** Id of the call that asks. An answer names it. */
  callId: string;
  /** The name of the called tool: the one that asks, or for an approval the one to approve. */
  toolName: string;
}
