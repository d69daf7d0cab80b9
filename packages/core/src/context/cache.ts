import { deepFreeze } from "../base/freeze.ts";
import { type ContentBlock, isText, isThinking, type Message } from "../model/content.ts";
import type { ModelRequest } from "../model/model-client.ts";
import type { KeptList, KeptParts } from "../session/context-entry.ts";

const CACHE_MARK = { cache_control: { type: "ephemeral" } } as const;

/**
 * Marks up to four places up to which the API can cache the request: the last tool, the system prompt, the
 * user data (a second system block, if there is one), and the last block of the last user message. A mark
 * that is not needed goes to the last block of the user message before, so that a turn with many blocks still
 * finds what the previous request wrote.
 *
 * Thinking and empty text cannot be marked; the block before them is.
 */
export function withCacheBreakpoints(
  request: ModelRequest,
  kept: Pick<KeptParts, "system" | "tools">,
): ModelRequest {
  const system = marked(request.system, kept.system, (index, last) => index === 0 || index === last);
  const tools = marked(request.tools, kept.tools, (index, last) => index === last);
  const taken = Math.min(system.length, 2) + Math.min(tools.length, 1);
  return { ...request, system, tools, messages: markUsers(request.messages, Math.min(2, 4 - taken)) };
}

/** Returns the same frozen object for the same list, because requests of one prefix share it. */
function marked<T extends object>(
  list: readonly T[],
  kept: KeptList,
  isMarked: (index: number, last: number) => boolean,
): T[] {
  if (kept.list !== list) {
    const last = list.length - 1;
    const all = list.map((part, index) => (isMarked(index, last) ? { ...part, ...CACHE_MARK } : part));
    kept.list = list;
    kept.marked = deepFreeze(all);
  }
  return kept.marked as T[];
}

/** Marks the last `count` user messages. */
function markUsers(messages: readonly Message[], count: number): Message[] {
  const marked = [...messages];
  let left = count;
  for (let at = marked.length - 1; at >= 0 && left > 0; at -= 1) {
    const message = marked[at] as Message;
    if (message.role !== "user") continue;
    marked[at] = { ...message, content: markLast(message.content) };
    left -= 1;
  }
  return marked;
}

function markLast(content: readonly ContentBlock[]): ContentBlock[] {
  const last = content.findLastIndex((block) => !isThinking(block) && !(isText(block) && block.text === ""));
  return content.map((block, index) => (index === last ? { ...block, ...CACHE_MARK } : block));
}
