import { isBlank } from "../../base/text.ts";
import type { EventData } from "../../log/event-data.ts";
import { type ResultEvent, resultEvent } from "../../session/close-calls.ts";
import type { CallState } from "../../session/state.ts";
import { formatted } from "../../tools/format-result.ts";
import type { Tool } from "../../tools/tool.ts";
import { jsonResult } from "../../tools/tool-outcome.ts";
import { hooksWith } from "../hooks/call-hooks.ts";
import { afterTool } from "../hooks/tool-hooks.ts";
import type { Leg } from "../leg/leg.ts";
import { asked } from "../leg/stored-first.ts";

/** Returns the result event of a successful call, with the tool's decisions about the run and the session. */
// Costs no promise for a tool without `format`.
export function successResult(
  leg: Leg,
  { call, tool }: { call: CallState; tool: Tool },
  value: unknown,
  { durationMs, completed = false, mode }: Decided = {},
): ResultEvent | Promise<ResultEvent> {
  const result = jsonResult(value);
  const status = typeof tool.endsRun === "string" ? tool.endsRun : completed ? "completed" : undefined;
  const made = (content?: ReturnType<typeof formatted>): ResultEvent =>
    resultEvent(call, true, result, {
      ...(durationMs !== undefined && { durationMs }),
      data: {
        ...(content !== undefined && { content }),
        ...(tool.shortenInput !== undefined && { resend: tool.shortenInput }),
        ...(tool.endsRun !== false && { ends_run: true }),
        ...(status !== undefined && { session_status: status }),
        ...(mode !== undefined && { mode }),
        ...(tool.status.done !== undefined && { status: tool.status.done }),
      },
    });
  if (tool.format === undefined) return made();
  const content = asked(leg, () => formatted(tool, result));
  return content instanceof Promise ? content.then(made) : made(content);
}

/** The effects of a tool's calls of `completeSession()` and `setMode()`, and its duration in milliseconds. */
export interface Decided {
  durationMs?: number;
  completed?: boolean;
  mode?: string | null;
}

/**
 * Applies the `afterTool` hooks to a result. If a hook changes the success, the tool's decisions about the
 * run and the session are dropped.
 */
export async function rewritten(
  leg: Leg,
  { call, tool, input }: { call: CallState; tool: Tool; input: unknown },
  event: ResultEvent,
  thrown?: { error: unknown },
): Promise<ResultEvent> {
  if (hooksWith(leg, "afterTool").length === 0) return event;
  const { success, result, content, ...decided } = event.data;
  const { callId } = call;
  const outcome = {
    ...{ callId, tool, input, success, result },
    ...(content !== undefined && { content }),
    ...(thrown && { error: leg.access.hideInError(thrown.error) }),
  };
  const wanted = await afterTool(leg, outcome);
  if (wanted === outcome) return event;
  const kept = wanted.success === success ? decided : whateverTheOutcome(decided, wanted.success);
  // The API refuses an error without text.
  const blank = !wanted.success && typeof wanted.content === "string" && isBlank(wanted.content);
  return resultEvent(call, wanted.success, wanted.result, {
    ...(event.durationMs !== undefined && { durationMs: event.durationMs }),
    data: { ...kept, ...(wanted.content !== undefined && !blank && { content: wanted.content }) },
  });
}

/** Returns the fields that a result keeps if a hook turns it into a failure or a success. */
function whateverTheOutcome(
  { spent, report }: Pick<EventData["tool_result"], "spent" | "report">,
  success: boolean,
): Partial<EventData["tool_result"]> {
  const { code, ...facts } = report ?? {};
  const kept = { ...facts, ...(!success && code !== undefined && { code }) };
  return {
    ...(spent !== undefined && { spent }),
    ...(Object.keys(kept).length > 0 && { report: kept }),
  };
}
