import { addUsd, usdFromCents } from "../base/usd.ts";
import { admit } from "../context/admit.ts";
import { assistantEntry } from "../context/project.ts";
import { endServerCalls, hasLostServerCalls } from "../context/server-calls.ts";
import { isEnding } from "../log/error-event.ts";
import type { StoredOf } from "../log/event.ts";
import { usageOf } from "../log/tokens.ts";
import { textOf } from "../model/content.ts";
import { addUsage, noUsage } from "../model/pricing.ts";
import { countedPrompt } from "../session/counted-prompt.ts";
import { type OpenAttempt, openAttempt } from "../session/open-attempt.ts";
import type { RunState, SessionState } from "../session/state.ts";

type ModelEvents = StoredOf<"llm_request" | "llm_response" | "assistant_message" | "error">;

/** Codes of `error` events that are stored together with an answer and end its run. */
const PROBLEMS: readonly string[] = ["contract_violation", "no_tool_call", "invalid_output"];

/** Applies an event of a model call to the state. */
export function applyModelEvent(state: SessionState, run: RunState, event: ModelEvents): void {
  switch (event.type) {
    case "llm_request": {
      const { prompt } = event.data;
      chargeLostAttempt(run);
      admit(state, prompt.upto_seq);
      if (state.queued.length > 0) state.queued = state.queued.filter(({ seq }) => isUnread(state, seq));
      state.hashed = { entries: state.entries.length, hash: prompt.hash };
      state.requestSeq = event.seq;
      run.attempt = openAttempt(event);
      run.openRequest = event.seq;
      run.cause = undefined;
      run.unsettled = true;
      break;
    }
    case "llm_response":
      run.usage = addUsage(run.usage, usageOf(event.data.tokens));
      run.costUsd = addUsd(run.costUsd, usdFromCents(event.data.cost_cents));
      if (run.attempt?.seq !== event.data.attempt) break;
      learnLength(state, run.attempt, event.data);
      run.attempt = undefined;
      break;
    case "assistant_message":
      applyAssistant(state, run, event);
      break;
    case "error":
      // The model refused the request, or failed before it reported usage: there is nothing to charge.
      if (event.data.code === "model_error") run.attempt = undefined;
      if (PROBLEMS.includes(event.data.code) && run.turn) run.turn.problem = event.data.code;
      if (isEnding(event.data)) run.cause = event.data.message;
      if (event.data.code === "checkpoint_failed") run.checkpointFailed = true;
      break;
  }
}

/**
 * Keeps how many tokens the API has counted for a prompt, from which the next one is estimated. Only a
 * complete answer has reported it. With tools of the API, the count includes what these have read.
 */
function learnLength(
  state: SessionState,
  { model, chars }: OpenAttempt,
  { tokens, raw_response }: StoredOf<"llm_response">["data"],
): void {
  if (chars === undefined || raw_response.stop_reason === null || state.entries.at(-1)?.hasServerTools)
    return;
  state.counted = countedPrompt(state.counted, { model, chars, tokens: tokens.total - tokens.completion });
}

/**
 * Returns whether no request has included the message yet. A request leaves it out while the model's answer
 * is paused or one of the API's tools is running.
 */
function isUnread({ unsent }: SessionState, seq: number): boolean {
  return unsent.some((event) => event.seq === seq);
}

/** Applies an answer of the model: it becomes a context entry, and starts the run's next turn. */
function applyAssistant(state: SessionState, run: RunState, event: StoredOf<"assistant_message">): void {
  const entry = assistantEntry(event.data, event.seq);
  if (entry !== undefined) state.entries.push(entry);
  if (event.data.stop_reason === "refusal") state.refusedSeq = state.requestSeq;
  else if (event.data.stop_reason !== null) state.refusedSeq = 0;
  const text = entry === undefined || event.data.output === "text" ? "" : textOf(entry.blocks).trim();
  if (text !== "") run.texts.push(text);
  run.turns += 1;
  run.openRequest = undefined;
  run.recoveries = 0;
  run.pauses = event.data.stop_reason === "pause_turn" ? run.pauses + 1 : 0;
  run.turn = {
    assistantSeq: event.seq,
    stopReason: event.data.stop_reason,
    problem: undefined,
    reminded: false,
    continued: false,
    output: undefined,
    calls: [],
    tools: run.attempt?.tools,
    limitedBy: run.attempt?.limitedBy,
  };
  // The API's own tools continue only after a pause, or if the answer also calls a tool of the agent.
  if (hasLostServerCalls(state)) endServerCalls(state);
}

/** Applies an `output` event: a valid output, or the problem with an invalid one and its reminder. */
export function applyOutput(
  { unsent }: SessionState,
  run: RunState | undefined,
  event: StoredOf<"output">,
): void {
  const { value, problem, reminder, call_id } = event.data;
  if (run?.turn !== undefined && value !== undefined) run.turn.output = { value, seq: event.seq };
  if (run !== undefined && reminder) applyReminder(run);
  // For a valid output in the model's text, there is nothing to send back.
  if (call_id !== undefined || problem !== undefined) unsent.push(event);
}

/** Records that the model was reminded to call a tool, or of the output's schema. */
export function applyReminder(run: RunState): void {
  if (run.turn === undefined) return;
  run.reminded = true;
  run.turn.reminded = true;
}

/** Records that a hook has the run go on. Its last answer is not what the run gives in the end. */
export function applyContinue({ turn }: RunState): void {
  if (turn === undefined) return;
  turn.continued = true;
  turn.output = undefined;
}

/**
 * Charges the estimate of a lost answer, for logs of earlier versions: those have no `spending` event for it.
 */
export function chargeLostAttempt(run: RunState): void {
  if (run.attempt === undefined) return;
  run.usage = addUsage(run.usage, { ...noUsage, inputTokens: run.attempt.estimatedTokens });
  run.costUsd = addUsd(run.costUsd, run.attempt.estimatedCostUsd);
  run.attempt = undefined;
}
