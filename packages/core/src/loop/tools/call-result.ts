import type { Json } from "../../base/json.ts";
import { isBlank } from "../../base/text.ts";
import type { EventData } from "../../log/event-data.ts";
import { type ResultEvent, resultEvent } from "../../session/close-calls.ts";
import type { CallState } from "../../session/state.ts";
import type { formatForModel } from "../../tools/format-result.ts";
import type { Tool } from "../../tools/tool.ts";
import { literalResult } from "../../tools/tool-outcome.ts";
import { hooksWith } from "../hooks/call-hooks.ts";
import { afterTool, formatted } from "../hooks/tool-hooks.ts";
import type { Leg } from "../leg/leg.ts";
import { afterBarrier } from "../leg/stored-first.ts";
import type { ToolDecisions } from "./call-record.ts";

/** Returns the result event of a successful call, with the tool's decisions about the run and the session. */
// Not async: for a tool without `format`, no promise is made.
export function successResult(
  leg: Leg,
  { call, tool }: { call: CallState; tool: Tool },
  value: unknown,
  decisions: ToolDecisions = {},
): ResultEvent | Promise<ResultEvent> {
  const result = literalResult(value);
  if (result !== undefined) return successEvent(leg, { call, tool }, result, decisions);
  return leg.parts
    .load()
    .then(({ resultAsJson }) => successEvent(leg, { call, tool }, resultAsJson(leg, tool, value), decisions));
}

function successEvent(
  leg: Leg,
  { call, tool }: { call: CallState; tool: Tool },
  result: Json,
  { durationMs, completed = false, mode }: ToolDecisions,
): ResultEvent | Promise<ResultEvent> {
  const status = typeof tool.endsRun === "string" ? tool.endsRun : completed ? "completed" : undefined;
  const resultWith = (content?: ReturnType<typeof formatForModel>): ResultEvent =>
    resultEvent(call, true, result, {
      ...(durationMs !== undefined && { durationMs }),
      data: {
        ...(content !== undefined && { content }),
        ...(tool.shortenInput !== undefined && { resend: tool.shortenInput }),
        ...(tool.endsRun !== false && { ends_run: true }),
        ...(tool.handsOverTo !== undefined && { hand_over_to: tool.handsOverTo }),
        ...(status !== undefined && { session_status: status }),
        ...(mode !== undefined && { mode }),
        ...(tool.status.done !== undefined && { status: tool.status.done }),
      },
    });
  if (tool.format === undefined) return resultWith();
  const content = afterBarrier(leg, () => formatted(leg, tool, result));
  return content instanceof Promise ? content.then(resultWith) : resultWith(content);
}

/**
 * Applies the `afterTool` hooks to a result. If a hook turns a success into a failure, or a failure into a
 * success, the tool's decisions about the run and the session are dropped. `thrown` has the tool's exception.
 */
export async function applyAfterToolHooks(
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
  const changed = await afterTool(leg, outcome);
  if (changed === outcome) return event;
  if (changed === undefined) return (await leg.parts.load()).withheldResult(call, event);
  const kept = changed.success === success ? decided : fieldsOfBothOutcomes(decided, changed.success);
  // The API refuses an error without text.
  const isBlankError = !changed.success && typeof changed.content === "string" && isBlank(changed.content);
  return resultEvent(call, changed.success, changed.result, {
    ...(event.durationMs !== undefined && { durationMs: event.durationMs }),
    data: { ...kept, ...(changed.content !== undefined && !isBlankError && { content: changed.content }) },
  });
}

/** Returns the fields that a result keeps if a hook turns it into a failure or a success. */
function fieldsOfBothOutcomes(
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
