import type { Action, RunResult } from "./run-handle.ts";
import { type CallState, isWaiting, type RunState, type SessionState } from "./session/state.ts";
import type { Suspension } from "./view/view.ts";

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
    costMicroUsd: Math.round(run.costCents * 10_000),
    pending: waiting.map(suspensionOf),
  };
}

function actionOf(call: CallState): Action {
  const action: Action = { tool: call.toolName, args: call.arguments };
  if (call.result === undefined) return action;
  return { ...action, result: call.result.data.result, success: call.result.data.success };
}

/** A waiting call as the question that it asks. */
function suspensionOf(call: CallState): Suspension {
  const { kind, payload, answerSchema, expiresAt, seq } = call.asked as NonNullable<CallState["asked"]>;
  const { callId, toolName } = call;
  return { callId, toolName, kind, payload, answerSchema, ...(expiresAt && { expiresAt }), seq };
}
