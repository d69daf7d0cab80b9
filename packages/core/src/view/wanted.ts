import type { SessionEvent } from "../log/store/live-event.ts";
import { dataKey, nameOfCall, type WantedParts } from "./part-list.ts";

/**
 * Returns which parts of the run's message an event may change. `undefined` if it changes none and adds none.
 * A part too many costs only time.
 */
export function wantedParts(event: SessionEvent): WantedParts | undefined {
  switch (event.type) {
    case "text_delta":
    case "thinking_delta":
      return [`${event.data.attempt}:${event.data.index}`];
    case "output_delta":
    case "output":
      return [`${event.data.attempt}:output`];
    case "assistant_message":
      return [`${event.data.attempt}:`];
    case "tool_progress":
    case "agent_delta":
    case "tool_started":
    case "tool_suspended":
    case "tool_answered":
    case "tool_result":
      return [nameOfCall(event.data.call_id)];
    case "data_part":
      return [dataKey(event)];
    case "artifact":
    case "checkpoint":
      return [];
    case "llm_request":
    case "run_recovered":
    case "attempt_restarted":
    case "run_ended":
      return "open";
    case "run_started":
      return event.data.retry_of === undefined ? undefined : "fromLastCall";
    default:
      return undefined;
  }
}

/** Returns the id of the call that the event is about; `undefined` for other events. */
export function calledIn(event: SessionEvent): string | undefined {
  switch (event.type) {
    case "tool_started":
    case "tool_suspended":
    case "tool_answered":
    case "tool_result":
      return event.data.call_id;
    default:
      return undefined;
  }
}
