import type { StoredEvent } from "@pawl/core";

/** The kind of an event, which decides its colour. */
export type Family = "user" | "model" | "tool" | "control" | "trouble";

/** Returns the family of an event. */
export function familyOf(event: StoredEvent): Family {
  if (event.type === "error") return "trouble";
  if (event.type === "tool_result" && !event.data.success) return "trouble";
  if (event.type === "tool_answered" && (event.data.closed !== undefined || event.data.expired))
    return "control";
  if (event.type === "user_message" || event.type === "tool_answered") return "user";
  if (event.type === "assistant_message" || event.type.startsWith("llm_")) return "model";
  return event.type.startsWith("tool_") ? "tool" : "control";
}
