import type { EventType } from "./event.ts";

/** The event types that the model reads. */
export const contextTypes: readonly EventType[] = [
  "user_message",
  "assistant_message",
  "tool_result",
  "knowledge",
  "artifact",
  "note",
  "output",
];
