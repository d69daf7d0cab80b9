import { type Json, toJson } from "../base/json.ts";
import type { OutcomeChange, ToolOutcome } from "../hooks/tool-change.ts";
import { resultContent } from "../tools/format-result.ts";

/** Returns the outcome with a hook's changes. A changed result of a success is formatted by `format`. */
export function changedOutcome(
  before: ToolOutcome,
  change: OutcomeChange,
  format: (result: Json) => ToolOutcome["content"],
): ToolOutcome {
  const { callId, tool, input } = before;
  const thrown = "error" in before ? { error: before.error } : {};
  const success = change.success ?? before.success;
  const result = change.result === undefined ? before.result : toJson(change.result);
  let content = before.content;
  if (change.result !== undefined) content = success ? format(result) : undefined;
  if (change.content !== undefined) content = resultContent(toJson(change.content));
  if (change.content !== undefined && content === undefined) {
    throw new Error("`content` must be a string or a list of content blocks.");
  }
  return { callId, tool, input, success, result, ...(content !== undefined && { content }), ...thrown };
}
