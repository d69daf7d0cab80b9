import type { ViewMessage } from "@pawl/core/view";

/** The hook whose questions about a run are asked before it plans. */
export const PLANNING = "planning";

/**
 * Finds the messages that begin with questions: their plans come after the last of these. Returns the id of
 * that question's call by the id of the message.
 */
export function plansAfterQuestions(messages: readonly ViewMessage[]): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (const { id, parts } of messages)
    for (const part of parts) {
      if (part.type !== "tool" || part.toolName !== PLANNING) break;
      found.set(id, part.callId);
    }
  return found;
}
