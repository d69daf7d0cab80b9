import type { SpokenIn } from "@pawl/knowledge";

/** Finds what the trainer said: it speaks through two tools, never in plain text. */
export const spoken: SpokenIn = (event) => {
  if (event.type !== "tool_result" || !event.data.success) return undefined;
  const { message, question } = Object(event.data.result) as Record<string, unknown>;
  if (event.data.tool_name === "message_notify_user" && typeof message === "string") return message;
  return event.data.tool_name === "message_ask_user" && typeof question === "string" ? question : undefined;
};
