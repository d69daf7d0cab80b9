import type { ClaudeBodyOptions } from "./body.ts";

/**
 * Models that are known to accept a forced `tool_choice`, as of 2026-11-20. The newest models answer with
 * status 400.
 */
const known: ReadonlySet<string> = new Set([
  "claude-opus-5",
  "claude-sonnet-5",
  "claude-opus-4-8",
  "claude-opus-4-7",
  "claude-opus-4-6",
  "claude-sonnet-4-6",
  "claude-opus-4-5",
  "claude-sonnet-4-5",
  "claude-haiku-4-5",
]);

/** Returns whether a model can be forced to call a tool. While thinking is on, no model can. */
export function takesForcedToolChoice(model: string, { thinking, body }: ClaudeBodyOptions): boolean {
  const { type = "disabled" } = (body?.thinking ?? thinking ?? {}) as { type?: string };
  return type === "disabled" && known.has(model.replace(/-\d{8}$/, ""));
}
