import { canonicalJson, type StoredOf, usdFromCents } from "@pawl/core";
import { oneLine } from "../base/text.ts";
import type { RunRecord, ToolExecution } from "./record.ts";

/** Returns what an event of a call changes in the record. */
export function callChange(
  record: RunRecord,
  event: StoredOf<"tool_call" | "tool_started" | "tool_suspended" | "tool_result">,
): Partial<RunRecord> {
  const { call_id: callId, tool_name: tool } = event.data;
  if (event.type === "tool_call") {
    const call: ToolExecution = {
      ...{ callId, tool, connector: null, agent: record.agent, arguments: event.data.arguments },
      ...{ startedAt: event.at, durationMs: null, costUsd: 0, summary: "", fragments: [] },
      ...{ status: "running", seq: 0 },
    };
    return { calls: [...record.calls, call] };
  }
  const at = record.calls.findLastIndex((call) => call.callId === callId && call.status === "running");
  const call = record.calls[at];
  if (call === undefined) return {};
  if (event.type !== "tool_result")
    return { calls: record.calls.with(at, { ...call, ...inputAfter(call, event) }) };
  const finished = finishedCall(call, event);
  return {
    calls: record.calls.with(at, finished),
    failedTools: failuresAfter(record.failedTools, finished),
    fragments: [...new Set([...record.fragments, ...finished.fragments])],
  };
}

/** Returns what an event changes in its call: the input, unless a hook hides it, and what a start says. */
function inputAfter(
  call: ToolExecution,
  event: StoredOf<"tool_started" | "tool_suspended">,
): Partial<ToolExecution> {
  const { input = call.arguments } = event.data.input_for === "nobody" ? {} : event.data;
  if (event.type === "tool_started")
    return { agent: event.data.agent ?? call.agent, arguments: input, startedAt: event.at };
  // After a hook's own question, later hooks may still change the input.
  return event.data.by === undefined ? { arguments: input } : {};
}

/** The longest summary that is cut from a result, in UTF-16 code units. */
const SUMMARY_CHARS = 200;

function finishedCall(
  call: ToolExecution,
  { data, seq, durationMs }: StoredOf<"tool_result">,
): ToolExecution {
  const { success, skipped, result, report = {}, spent } = data;
  const { connector = null, fragments = [], summary, code } = report;
  const text = typeof result === "string" ? result : canonicalJson(result);
  const status = skipped !== undefined ? "skipped" : success ? "success" : "error";
  return {
    ...call,
    ...{ connector, fragments, status, seq, durationMs: durationMs ?? null },
    summary: oneLine(summary ?? text, SUMMARY_CHARS),
    costUsd: spent === undefined ? 0 : usdFromCents(spent.cost_cents),
    ...(status === "error" && { error: { ...(code !== undefined && { code }), message: text } }),
    ...(skipped !== undefined && { skipped }),
  };
}

function failuresAfter(
  failed: RunRecord["failedTools"],
  { tool, status, error }: ToolExecution,
): RunRecord["failedTools"] {
  if (status !== "success" && status !== "error") return failed;
  const others = failed.filter((one) => one.tool !== tool);
  if (status === "success") return others;
  const count = (failed.find((one) => one.tool === tool)?.count ?? 0) + 1;
  return [...others, { tool, count, lastError: oneLine(error?.message ?? "", SUMMARY_CHARS) }];
}
