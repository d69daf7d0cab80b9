import { addUsd, usdFromCents } from "../base/usd.ts";
import type { StoredEvent, StoredOf } from "../log/event.ts";
import type { EventData } from "../log/event-data.ts";
import type { CalledBy } from "../log/event-parts.ts";
import { expiryOf } from "../log/expiry.ts";
import { budgetOf } from "../log/stored-budget.ts";
import { type Spent, usageOf } from "../log/tokens.ts";
import { addUsage } from "../model/pricing.ts";
import type { Asking, QuestionRecord, RunQuestion } from "../session/asking.ts";
import { expiryBy, waitingFor } from "../session/queued.ts";
import type { CallState, RunState, SessionState } from "../session/state.ts";
import { newCall } from "./apply-task.ts";

/** Adds a call to the run's last turn. */
export function addCall(state: SessionState, run: RunState, data: EventData["tool_call"]): void {
  if (run.turn === undefined) return;
  const call = newCall(data, run.turn.assistantSeq);
  run.turn.calls.push(call);
  run.calls.push(call);
  state.calls.set(call.callId, call);
}

type CallEvents = StoredOf<"tool_started" | "tool_suspended" | "tool_answered" | "tool_result">;

/** Applies an event of a tool call, or of a question about the run, to the state. */
export function applyCallEvent(state: SessionState, run: RunState, event: CallEvents): void {
  if (applyRunQuestion(state, run, event)) return;
  const call = state.calls.get(event.data.call_id);
  if (call === undefined) return;
  // A leg stores all these events, except answers, which any process may store.
  run.unsettled = run.unsettled || event.type !== "tool_answered";
  switch (event.type) {
    case "tool_started": {
      const {
        idempotency_key: idempotencyKey,
        input,
        input_for: inputFor,
        slice,
        agent,
        idempotent,
      } = event.data;
      call.started ??= {
        idempotencyKey,
        ...(input !== undefined && { input }),
        ...(inputFor && { inputFor }),
        ...(slice !== undefined && { slice: budgetOf(slice) }),
        ...(agent !== undefined && { agent }),
        ...(idempotent === false && { once: true as const }),
      };
      call.running = true;
      call.about = event.data.about;
      break;
    }
    case "tool_suspended":
      call.question = questionRecord(event);
      if (isMidway(call)) call.question.midway = true;
      // The question of a call that was started is not about whether it runs.
      if (call.started === undefined) call.about = event.data.about;
      call.answer = undefined;
      call.running = false;
      call.questions += 1;
      chargeCall(run, call, event.data.spent);
      break;
    case "tool_answered":
      call.answer = givenAnswer(event.data);
      applyCaller(run, event.data);
      run.recoveries = 0;
      break;
    case "tool_result":
      call.result = event;
      state.unsent.push(event);
      chargeCall(run, call, event.data.spent);
      run.sessionStatus = event.data.session_status ?? run.sessionStatus;
      if (event.data.mode !== undefined) state.mode = event.data.mode;
      if (event.data.success && event.data.skipped === undefined) run.succeeded.set(call.key, call);
      run.recoveries = 0;
      break;
  }
}

/**
 * Returns whether the tool itself asked while it was running. Otherwise, the tool asked before it ran, or a
 * hook or a sub-agent asked.
 */
function isMidway({ question, started }: CallState): boolean {
  return started !== undefined && question?.by === undefined && question?.child === undefined;
}

/** Adds the usage and cost of a call's sub-agent to the run and to the call. */
function chargeCall(run: RunState, call: CallState, spent: Spent | undefined): void {
  if (spent === undefined) return;
  for (const total of [run, call.charged]) {
    total.usage = addUsage(total.usage, usageOf(spent.tokens));
    total.costUsd = addUsd(total.costUsd, usdFromCents(spent.cost_cents));
  }
}

type Suspended = StoredOf<"tool_suspended">;

/**
 * Applies a hook's question about the run, or the event that answers or closes it. Returns `false`, and
 * changes nothing, for any other event.
 */
export function applyRunQuestion(state: SessionState, run: RunState, event: StoredEvent): boolean {
  if (event.type === "tool_suspended" && event.data.before !== undefined) addRunQuestion(state, run, event);
  else if (event.type === "tool_answered" && state.asked.has(event.data.call_id))
    answerRunQuestion(state, run, event);
  else return false;
  return true;
}

function addRunQuestion(state: SessionState, run: RunState, event: Suspended): void {
  const { call_id: callId, tool_name: toolName, before } = event.data;
  if (before === undefined) return;
  const asked: RunQuestion = {
    callId,
    toolName,
    assistantSeq: run.seq,
    question: questionRecord(event),
    answer: undefined,
    questions: 1,
    before,
    turns: run.turns,
  };
  run.unsettled = true;
  run.asked.push(asked);
  state.asked.set(callId, asked);
}

function answerRunQuestion(
  { asked }: SessionState,
  run: RunState,
  { data }: StoredOf<"tool_answered">,
): void {
  const question = asked.get(data.call_id);
  if (question === undefined) return;
  question.answer = givenAnswer(data);
  applyCaller(run, data);
  run.recoveries = 0;
}

/** Returns the answer that a `tool_answered` event stores. */
export function givenAnswer(data: EventData["tool_answered"]): Asking["answer"] {
  const { value, error, closed, expired } = data;
  return { value, error, closed, ...(expired && { expired }) };
}

/** Has the run's questions expire by the store's clock after it was set back. */
export function expireBy(run: RunState, clock: string): void {
  for (const { question } of waitingFor(run)) {
    const at = question && expiryBy(question, clock);
    if (question?.expires && at !== undefined) question.expires = { ...question.expires, at };
  }
}

/** Takes over the caller of an answer, and whether the answer came with credentials. */
export function applyCaller(run: RunState, { caller, credentials }: CalledBy): void {
  run.caller = caller ?? run.caller;
  run.needsCredentials ||= credentials === true;
}

/** Returns the question of a `tool_suspended` event. */
export function questionRecord(event: Suspended): QuestionRecord {
  const { data, seq } = event;
  const { kind, payload, answer_schema: answerSchema, by, input, child, state, hidden } = data;
  const { client_tool: clientTool, changed, input_for: inputFor } = data;
  const expires = expiryOf(event);
  return {
    kind,
    payload,
    answerSchema,
    seq,
    ...(by !== undefined && { by }),
    ...(input !== undefined && { input }),
    ...(inputFor && { inputFor }),
    ...(state !== undefined && { state }),
    ...(expires !== undefined && { expires }),
    ...(data.expires?.after_ms !== undefined && { lastsMs: data.expires.after_ms }),
    ...(hidden && { hidden }),
    ...(clientTool !== undefined && { clientTool }),
    ...(changed && { changed }),
    ...(child !== undefined && {
      child: { sessionId: child.session_id, callId: child.call_id, question: child.question },
    }),
  };
}
