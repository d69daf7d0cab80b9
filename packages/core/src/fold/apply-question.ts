import type { StoredEvent, StoredOf } from "../log/event.ts";
import type { CalledBy, EventData } from "../log/event-data.ts";
import { expiryOf } from "../log/expiry.ts";
import type { Asking, QuestionRecord, RunQuestion } from "../session/asking.ts";
import type { RunState, SessionState } from "../session/state.ts";

type Suspended = StoredOf<"tool_suspended">;

/**
 * Applies a question about the run, its answer, or its end without one. Returns `false` for any other event.
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
  takeCaller(run, data);
  run.recoveries = 0;
}

/** Returns the answer of a `tool_answered` event. */
export function givenAnswer(data: EventData["tool_answered"]): Asking["answer"] {
  const { value, error, closed, expired } = data;
  return { value, error, closed, ...(expired && { expired }) };
}

/** Applies what an answer says about who gave it. */
export function takeCaller(run: RunState, { caller, credentials }: CalledBy): void {
  run.caller = caller ?? run.caller;
  run.needsCredentials ||= credentials === true;
}

/** Returns the question of a `tool_suspended` event. */
export function questionRecord(event: Suspended): QuestionRecord {
  const { data, seq } = event;
  const { kind, payload, answer_schema: answerSchema, by, input, child, state, hidden } = data;
  const { client_tool: clientTool } = data;
  const expires = expiryOf(event);
  return {
    kind,
    payload,
    answerSchema,
    seq,
    ...(by !== undefined && { by }),
    ...(input !== undefined && { input }),
    ...(state !== undefined && { state }),
    ...(expires !== undefined && { expires }),
    ...(hidden && { hidden }),
    ...(clientTool !== undefined && { clientTool }),
    ...(child !== undefined && {
      child: { sessionId: child.session_id, callId: child.call_id, question: child.question },
    }),
  };
}
