import type { StoredOf } from "../log/event.ts";
import { REDACTED, redactedAnswer, redactedBlocks, redactedEvent } from "../log/store/redacted.ts";
import { textOf } from "../model/content.ts";
import type { Asking, QuestionRecord } from "../session/asking.ts";
import type { CallState, RunState, SessionState } from "../session/state.ts";
import { contextEntry } from "./project.ts";
import { withoutUnpaired } from "./server-calls.ts";

/**
 * Removes the content of a redacted event from a session's state. Earlier thinking stays until the `prefix`
 * event that follows: it removes the thinking, whose signature covers the redacted content.
 */
export function applyRedaction(state: SessionState, { data }: StoredOf<"redaction">): void {
  const { seq, of, run_id } = data;
  const redacted = state.entries.find((entry) => entry.seq === seq);
  const { run } = state;
  if (run !== undefined && redacted?.role === "assistant") {
    const text = textOf(redacted.blocks).trim();
    run.texts = run.texts.map((existing) => (existing === text ? REDACTED : existing));
  }
  const entries = state.entries.map((entry) =>
    entry === redacted ? contextEntry(entry.role, redactedBlocks(entry.blocks), seq) : entry,
  );
  state.entries = withoutUnpaired(entries);
  state.unsent = state.unsent.map((event) => (event.seq === seq ? redactedEvent(event) : event));
  state.queued = state.queued.map((event) => (event.seq === seq ? redactedUserMessage(event) : event));
  // The redacted message had the run's `params`. A retry would inherit them.
  if (of === "user_message" && run !== undefined && seq > run.seq) run.params = {};
  state.hashed = { entries: 0, hash: "" };
  // The user data may come from the redacted event.
  if (of === "knowledge" || of === "prefix") state.userData = undefined;
  redactOutput(run, seq);
  if (run_id !== undefined && run?.runId === run_id && run.ended !== undefined)
    run.ended = { ...run.ended, message: REDACTED };
  const { call_id } = data;
  if (call_id === undefined) return;
  redactQuestion(state.calls.get(call_id) ?? state.asked.get(call_id), of);
  redactCall(state.calls.get(call_id), of);
}

function redactedUserMessage(event: StoredOf<"user_message">): StoredOf<"user_message"> {
  return redactedEvent(event) as StoredOf<"user_message">;
}

/** Redacts the part of a call that an event of the type `of` has stored. */
function redactCall(call: CallState | undefined, of: string): void {
  if (call === undefined) return;
  if (of === "tool_call") Object.assign(call, { arguments: {}, key: call.toolName });
  // It may have the input. Runs with redacted events are over, so nobody needs it any more.
  call.about = undefined;
  if (of === "tool_call" && call.invalid !== undefined) call.invalid = REDACTED;
  if (of === "tool_started" && call.started?.input !== undefined)
    call.started = { ...call.started, input: {} };
  if (of === "tool_result" && call.result)
    call.result = redactedEvent(call.result) as StoredOf<"tool_result">;
}

/** Redacts the question of a call or a hook, or its answer. `of` is the type of the redacted event. */
function redactQuestion(asking: Asking | undefined, of: string): void {
  if (of === "tool_suspended" && asking?.question) asking.question = redactedQuestion(asking.question);
  if (of !== "tool_answered" || asking?.answer === undefined) return;
  const error = asking.answer.error === undefined ? undefined : REDACTED;
  asking.answer = { ...asking.answer, value: redactedAnswer(asking.answer.value), error };
}

function redactOutput(run: RunState | undefined, seq: number): void {
  if (run?.turn?.output?.seq === seq) run.turn.output = { value: REDACTED, seq };
}

function redactedQuestion(question: QuestionRecord): QuestionRecord {
  const { state: _, expires, ...rest } = question;
  return {
    ...rest,
    ...(expires !== undefined && { expires: { ...expires, default: null } }),
    payload: REDACTED,
    ...(question.input !== undefined && { input: {} }),
  };
}
