import { type EventData, REDACTED } from "@pawl/core";
import type { RunRecord, ToolExecution } from "./record.ts";

/** The fields of a record after its last plan was redacted. */
export const NO_PLAN = { plan: undefined, planned: undefined, ambiguityResolved: false } as const;

/**
 * Returns the changes that a redaction makes to a record which was folded before it. (A record that is folded
 * after the redaction never gets the content.)
 */
export function redacted(
  record: RunRecord,
  { seq, of, call_id, run_id }: EventData["redaction"],
): Partial<RunRecord> {
  const { messages, notes, reviews, clarifications, earlierClarifications, planned, seqs, stop } = record;
  const hidden = <T extends { text: string; seq: number }>(one: T): T =>
    one.seq === seq ? { ...one, text: REDACTED } : one;
  const isOther = (one: { seq: number }) => one.seq !== seq;
  return {
    messages: messages.map(hidden),
    notes: notes.map(hidden),
    reviews: reviews.filter(isOther),
    clarifications: clarifications.filter(isOther),
    earlierClarifications: earlierClarifications.filter(isOther),
    ...(planned?.seq === seq && NO_PLAN),
    ...(seqs.docs === seq && { docs: undefined }),
    ...(seqs.retrieved === seq && { retrieved: REDACTED }),
    ...(seqs.stopped === seq && { stopped: undefined }),
    ...(stop !== undefined && run_id === record.runId && { stop: { ...stop, message: REDACTED } }),
    ...(call_id !== undefined && withoutCall(record, call_id, of)),
  };
}

/** Redacts the arguments or the result of a call. */
function withoutCall(record: RunRecord, callId: string, of: string): Partial<RunRecord> {
  const at = record.calls.findLastIndex((one) => one.callId === callId);
  const call = record.calls[at];
  if (call === undefined) return {};
  if (of === "tool_call" || of === "tool_started" || of === "tool_suspended")
    return { calls: record.calls.with(at, { ...call, arguments: {} }) };
  if (of !== "tool_result") return {};
  const calls = record.calls.with(at, withoutResult(call));
  return {
    calls,
    fragments: [...new Set(calls.flatMap(({ fragments }) => fragments))],
    failedTools: record.failedTools.map((one) =>
      one.tool === call.tool && call.status === "error" ? { ...one, lastError: REDACTED } : one,
    ),
  };
}

function withoutResult(call: ToolExecution): ToolExecution {
  const { error } = call;
  const said = error === undefined ? {} : { error: { ...error, message: REDACTED } };
  return { ...call, summary: REDACTED, fragments: [], ...said };
}
