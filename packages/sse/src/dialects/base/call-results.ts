import type { StoredEvent, StoredOf } from "@pawl/core";
import { isQuestionPart, type ViewFold } from "@pawl/core/view";
import type { EncoderContext } from "./dialect.ts";

/**
 * Returns the result of a call that an event brings; `undefined` if it brings none. A hook's question about
 * the run is shown as a call, and its answer is the result of that call. `view` is the view after the event.
 */
export function resultIn(
  event: StoredEvent,
  view: Pick<ViewFold, "call">,
): StoredOf<"tool_result"> | undefined {
  if (event.type === "tool_result") return event;
  if (event.type !== "tool_answered" || event.data.hidden) return undefined;
  const part = view.call(event.data.call_id);
  return part !== undefined && isQuestionPart(part) ? resultOf(event) : undefined;
}

/** Returns the answer to a hook's question about the run as the result of that call. */
function resultOf({ data, ...event }: StoredOf<"tool_answered">): StoredOf<"tool_result"> {
  const { call_id, tool_name, value, closed } = data;
  const named = { call_id, tool_name, success: true };
  const result =
    closed === undefined
      ? { ...named, result: value }
      : { ...named, result: { answered: false, reason: closed }, skipped: "closed" };
  return { ...event, type: "tool_result", data: result };
}

interface ResultStep {
  type: "result";
  event: StoredOf<"tool_result">;
}

/** Returns the steps with which a stream begins: the results of calls that its message has closed. */
export function closedSteps({ closed = [], messageSeq }: EncoderContext): ResultStep[] {
  // A queued message closes nothing: these are results of the run for which it waits.
  return messageSeq === undefined ? closed.map((event) => ({ type: "result", event })) : [];
}
