import { isToolUse, type Message } from "@pawl/core";

/** The longest call id that the API accepts, in characters. */
const LONGEST = 40;

/**
 * Makes a function that shortens call ids. An id of another model that is too long for this API is replaced
 * by the call's number in the history. That number is the same in every later request.
 */
export function shortIds(messages: readonly Message[]): (id: string) => string {
  const short = new Map<string, string>();
  let n = 0;
  for (const { content } of messages) {
    for (const block of content) {
      if (!isToolUse(block)) continue;
      n += 1;
      if (block.id.length > LONGEST) short.set(block.id, `call_number_${n}`);
    }
  }
  return (id) => short.get(id) ?? id;
}
