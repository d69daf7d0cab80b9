import type { SpokenIn } from "@pawl/knowledge";

/**
 * Returns the text that an event showed to the user, if any: the trainer shows text through two tools only.
 */
export const spoken: SpokenIn = (event) => {
  if (event.type !== "tool_result" || !event.data.success || event.data.skipped !== undefined)
    return undefined;
  const { message, question } = Object(event.data.result) as Record<string, unknown>;
  if (event.data.tool_name === "message_notify_user" && typeof message === "string") return message;
  return event.data.tool_name === "message_ask_user" && typeof question === "string" ? question : undefined;
};
