import { isToolUse, type Message } from "@pawl/core";

/** The API's longest id of a call, in characters. */
const LONGEST = 40;

/**
 * Ids of calls as this API takes them. One that another model gave and that is too long is replaced by its
 * number among the calls, which is the same in every later request.
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
