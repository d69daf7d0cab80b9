import type { StoredEvent, StoredOf } from "../log/event.ts";
import type { LiveEvent, SessionEvent } from "../log/store/live-event.ts";
import { redactedEvent } from "../log/store/redacted.ts";
import { endsAttempt, type ReaderState } from "./cursor.ts";

/**
 * Adds an event to `shown`, with the live events that follow from it: the end of the previous turn, text that
 * became void, and a tool's status. A redacted event is shown without its content.
 */
export function addAround(
  shown: SessionEvent[],
  event: StoredEvent,
  seen: ReaderState,
  hidden: ReadonlySet<number>,
): void {
  const isVoid = endsAttempt(event) && event.type !== "assistant_message";
  if (isVoid && seen.attempt !== undefined && seen.chars > 0) {
    shown.push({ type: "attempt_restarted", data: { attempt: seen.attempt } });
  }
  if (event.type === "llm_request" && event.data.turn > 1 && isFirst(event)) {
    shown.push({ type: "turn_ended", data: { turn: event.data.turn - 1 } });
  }
  shown.push(hidden.has(event.seq) ? redactedEvent(event) : event);
  if (event.type === "tool_started" || event.type === "tool_result") shown.push(statusOf(event));
}

/** Returns whether this is the first request of its turn. If so, the previous turn has ended. */
function isFirst({ data: { retry_of, again } }: StoredOf<"llm_request">): boolean {
  return retry_of === undefined && again === undefined;
}

function statusOf(event: StoredOf<"tool_started" | "tool_result">): LiveEvent {
  const { call_id, tool_name, status } = event.data;
  const phase = event.type === "tool_started" ? "start" : event.data.success ? "done" : "error";
  return {
    type: "tool_status",
    data: { call_id, tool_name, phase, ...(status !== undefined && { message: status }) },
  };
}
