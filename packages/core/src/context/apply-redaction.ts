import type { StoredOf } from "../log/event.ts";
import { REDACTED, redactedBlocks, redactedEvent } from "../log/store/redacted.ts";
import { textOf } from "../model/content.ts";
import type { Asking, QuestionRecord } from "../session/asking.ts";
import type { CallState, RunState, SessionState } from "../session/state.ts";
import { contextEntry } from "./project.ts";
import { withoutUnpaired } from "./server-calls.ts";

/**
 * Redacts an event in a session's state. The `prefix` event that follows removes earlier thinking, because
 * the thinking's signature covers the event.
 */
export function applyRedaction(state: SessionState, { data }: StoredOf<"redaction">): void {
  const { seq, of, run_id } = data;
  const said = state.entries.find((entry) => entry.seq === seq);
  const { run } = state;
  if (run !== undefined && said?.role === "assistant") {
    const text = textOf(said.blocks).trim();
    run.texts = run.texts.map((existing) => (existing === text ? REDACTED : existing));
  }
  const entries = state.entries.map((entry) =>
    entry === said ? contextEntry(entry.role, redactedBlocks(entry.blocks), seq) : entry,
  );
  state.entries = withoutUnpaired(entries);
  state.unsent = state.unsent.map((event) => (event.seq === seq ? redactedEvent(event) : event));
  state.queued = state.queued.map((event) => (event.seq === seq ? redactedMessage(event) : event));
  // A retry would inherit them.
  if (of === "user_message" && run !== undefined && seq > run.seq) run.params = {};
  state.hashed = { entries: 0, hash: "" };
  // The redacted event may be the source of the user data.
  if (of === "knowledge" || of === "prefix") state.userData = undefined;
  redactOutput(run, seq);
  if (run_id !== undefined && run?.runId === run_id && run.ended !== undefined)
    run.ended = { ...run.ended, message: REDACTED };
  const { call_id } = data;
  if (call_id === undefined) return;
  redactQuestion(state.calls.get(call_id) ?? state.asked.get(call_id), of);
  redactCall(state.calls.get(call_id), of);
}

function redactedMessage(event: StoredOf<"user_message">): StoredOf<"user_message"> {
  return redactedEvent(event) as StoredOf<"user_message">;
}

function redactCall(call: CallState | undefined, of: string): void {
  if (call === undefined) return;
  if (of === "tool_call") Object.assign(call, { arguments: {}, key: call.toolName });
  if (of === "tool_call" && call.invalid !== undefined) call.invalid = REDACTED;
  if (of === "tool_started" && call.started?.input !== undefined)
    call.started = { ...call.started, input: {} };
  if (of === "tool_result" && call.result)
    call.result = redactedEvent(call.result) as StoredOf<"tool_result">;
}

/** Redacts a question of a call or a hook, or its answer. */
function redactQuestion(asking: Asking | undefined, of: string): void {
  if (of === "tool_suspended" && asking?.question) asking.question = withoutQuestion(asking.question);
  if (of !== "tool_answered" || asking?.answer === undefined) return;
  const error = asking.answer.error === undefined ? undefined : REDACTED;
  asking.answer = { ...asking.answer, value: REDACTED, error };
}

function redactOutput(run: RunState | undefined, seq: number): void {
  if (run?.turn?.output?.seq === seq) run.turn.output = { value: REDACTED, seq };
}

function withoutQuestion(asked: QuestionRecord): QuestionRecord {
  const { state: _, expires, ...rest } = asked;
  return {
    ...rest,
    ...(expires !== undefined && { expires: { ...expires, default: null } }),
    payload: REDACTED,
    ...(asked.input !== undefined && { input: {} }),
  };
}
