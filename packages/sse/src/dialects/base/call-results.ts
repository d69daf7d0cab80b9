import type { StoredEvent, StoredOf } from "@pawl/core";
import { isQuestionPart, type ViewFold } from "@pawl/core/view";
import type { EncoderContext } from "./dialect.ts";

/**
 * Returns the result that an event brings. No call of the model has asked a question about the run, so the
 * answer to it is its result. `view` is the view after the event.
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

/** Returns the results of earlier calls that the message of a stream has closed: steps before all others. */
export function closedSteps({ closed = [], messageSeq }: EncoderContext): ResultStep[] {
  // The message of a queued one closes nothing: the results are those of the run that it waits for.
  return messageSeq === undefined ? closed.map((event) => ({ type: "result", event })) : [];
}
