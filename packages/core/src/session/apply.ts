import { admit } from "../context/admit.ts";
import { applyRedaction } from "../context/apply-redaction.ts";
import { applyCheckpoint } from "../context/checkpoint.ts";
import { applyPrefix, USER_DATA } from "../context/prefix.ts";
import { assistantEntry } from "../context/project.ts";
import { userDataBlock } from "../context/user-data.ts";
import type { EventData, StoredEvent, StoredOf } from "../events/event.ts";
import { textOf } from "../model/content.ts";
import { addUsage, noUsage } from "../model/pricing.ts";
import { newRun } from "./new-run.ts";
import { type CallState, openRun, type RunState, type SessionState } from "./state.ts";
import { usageOf } from "./tokens.ts";

/**
 * Folds one event into the state. Pure but for changing `state`: the same log gives the same state, in any process.
 */
export function applyEvent(state: SessionState, event: StoredEvent): void {
  state.lastSeq = event.seq;
  const run = openRun(state);
  switch (event.type) {
    case "knowledge":
      if (event.data.source === USER_DATA) state.userData = userDataBlock(event.data.data).text;
      state.waiting.push(event);
      break;
    case "user_message":
    case "artifact":
    case "note":
      state.waiting.push(event);
      break;
    case "prefix":
      applyPrefix(state, event.data);
      break;
    case "checkpoint":
      applyCheckpoint(state, event);
      break;
    case "redaction":
      applyRedaction(state, event);
      break;
    case "run_started":
      state.run = newRun(event);
      break;
    default:
      if (run !== undefined) applyToRun(state, run, event);
  }
}

function applyToRun(state: SessionState, run: RunState, event: StoredEvent): void {
  switch (event.type) {
    case "llm_request":
    case "llm_response":
    case "assistant_message":
    case "error":
      applyModelEvent(state, run, event);
      break;
    case "tool_call":
      addCall(state, run, event.data);
      break;
    case "tool_started":
    case "tool_suspended":
    case "tool_answered":
    case "tool_result":
      applyCallEvent(state, run, event);
      break;
    case "stop_requested":
      if (event.data.run_id === run.runId) applyStopRequest(run, event);
      break;
    case "run_suspended":
      run.inLeg = false;
      break;
    case "run_recovered":
      run.inLeg = true;
      run.recoveries += 1;
      break;
    case "run_ended":
      chargeLostAttempt(run);
      run.inLeg = false;
      run.ended = event.data.stop;
      break;
  }
}

type ModelEvents = StoredOf<"llm_request" | "llm_response" | "assistant_message" | "error">;

function applyModelEvent(state: SessionState, run: RunState, event: ModelEvents): void {
  switch (event.type) {
    case "llm_request": {
      const { prompt, estimated_tokens: estimatedTokens } = event.data;
      chargeLostAttempt(run);
      admit(state, prompt.upto_seq);
      state.hashed = { entries: state.entries.length, hash: prompt.hash };
      run.attempt = { seq: event.seq, estimatedTokens };
      run.inLeg = true;
      break;
    }
    case "llm_response":
      run.usage = addUsage(run.usage, usageOf(event.data.tokens));
      run.costCents += event.data.cost_cents;
      if (run.attempt?.seq === event.data.attempt) run.attempt = undefined;
      break;
    case "assistant_message":
      applyAssistant(state, run, event);
      break;
    case "error":
      // The model refused or failed before it counted anything: nothing to charge.
      if (event.data.code === "model_error") run.attempt = undefined;
      if (event.data.code === "checkpoint_failed") run.checkpointFailed = true;
      break;
  }
}

function applyAssistant(state: SessionState, run: RunState, event: StoredOf<"assistant_message">): void {
  const entry = assistantEntry(event.data, event.seq);
  if (entry !== undefined) state.entries.push(entry);
  const text = entry === undefined ? "" : textOf(entry.blocks).trim();
  if (text !== "") run.texts.push(text);
  run.turns += 1;
  run.recoveries = 0;
  run.turn = { assistantSeq: event.seq, stopReason: event.data.stop_reason, calls: [] };
}

function addCall(state: SessionState, run: RunState, data: EventData["tool_call"]): void {
  if (run.turn === undefined) return;
  const call: CallState = {
    callId: data.call_id,
    toolName: data.tool_name,
    place: state.calls.size,
    arguments: data.arguments,
    invalid: data.invalid,
    assistantSeq: run.turn.assistantSeq,
    asked: undefined,
    answer: undefined,
    started: undefined,
    result: undefined,
  };
  run.turn.calls.push(call);
  run.calls.push(call);
  state.calls.set(call.callId, call);
}

type CallEvents = StoredOf<"tool_started" | "tool_suspended" | "tool_answered" | "tool_result">;

function applyCallEvent(state: SessionState, run: RunState, event: CallEvents): void {
  const call = state.calls.get(event.data.call_id);
  if (call === undefined) return;
  run.inLeg = run.inLeg || event.type !== "tool_answered";
  switch (event.type) {
    case "tool_started":
      call.started = { idempotencyKey: event.data.idempotency_key };
      break;
    case "tool_suspended": {
      const { kind, payload, answer_schema: answerSchema, expires_at: expiresAt } = event.data;
      call.asked = { kind, payload, answerSchema, seq: event.seq, ...(expiresAt && { expiresAt }) };
      break;
    }
    case "tool_answered":
      call.answer = { value: event.data.value, closed: event.data.closed };
      run.recoveries = 0;
      break;
    case "tool_result":
      call.result = event;
      state.waiting.push(event);
      run.sessionStatus = event.data.session_status ?? run.sessionStatus;
      run.recoveries = 0;
      break;
  }
}

function applyStopRequest(run: RunState, { seq, data }: StoredOf<"stop_requested">): void {
  if (data.interrupt === true) {
    run.interrupted = true;
    return;
  }
  run.stopRequested = true;
  run.stopSeq ??= seq;
}

/** A request that was sent and whose answer got lost cost something: its estimate is charged. */
function chargeLostAttempt(run: RunState): void {
  if (run.attempt === undefined) return;
  run.usage = addUsage(run.usage, { ...noUsage, inputTokens: run.attempt.estimatedTokens });
  run.attempt = undefined;
}
