import { deepFreeze } from "../base/freeze.ts";
import { type ContentBlock, isText, isThinking, type Message } from "../model/content.ts";
import type { ModelRequest } from "../model/model-client.ts";
import type { KeptList, KeptParts } from "../session/context-entry.ts";

const CACHE_BREAKPOINT = { cache_control: { type: "ephemeral" } } as const;

/**
 * Sets up to four cache breakpoints, which mark the ends of the parts that the API can cache: the last tool,
 * the system prompt, the user data (a second system block, if there is one), and the last block of the last
 * user message. An unused breakpoint goes to the last block of the previous user message, so that a turn with
 * many blocks still finds the previous request in the cache.
 *
 * The API accepts no breakpoint on thinking or empty text, so the block before gets the breakpoint.
 */
export function withCacheBreakpoints(
  request: ModelRequest,
  kept: Pick<KeptParts, "system" | "tools">,
): ModelRequest {
  const system = withBreakpoints(request.system, kept.system, (index, last) => index === 0 || index === last);
  const tools = withBreakpoints(request.tools, kept.tools, (index, last) => index === last);
  const taken = Math.min(system.length, 2) + Math.min(tools.length, 1);
  return {
    ...request,
    system,
    tools,
    messages: withUserBreakpoints(request.messages, Math.min(2, 4 - taken)),
  };
}

/**
 * Sets breakpoints in a list. Returns the same frozen copy for the same list, because requests of one prefix
 * share it.
 */
function withBreakpoints<T extends object>(
  list: readonly T[],
  kept: KeptList,
  hasBreakpoint: (index: number, last: number) => boolean,
): T[] {
  if (kept.list !== list) {
    const last = list.length - 1;
    const all = list.map((part, index) =>
      hasBreakpoint(index, last) ? { ...part, ...CACHE_BREAKPOINT } : part,
    );
    kept.list = list;
    kept.withBreakpoints = deepFreeze(all);
  }
  return kept.withBreakpoints as T[];
}

/** Sets a breakpoint on each of the last `count` user messages. */
function withUserBreakpoints(messages: readonly Message[], count: number): Message[] {
  const copy = [...messages];
  let left = count;
  for (let at = copy.length - 1; at >= 0 && left > 0; at -= 1) {
    const message = copy[at] as Message;
    if (message.role !== "user") continue;
    copy[at] = { ...message, content: withLastBreakpoint(message.content) };
    left -= 1;
  }
  return copy;
}

function withLastBreakpoint(content: readonly ContentBlock[]): ContentBlock[] {
  const last = content.findLastIndex((block) => !isThinking(block) && !(isText(block) && block.text === ""));
  return content.map((block, index) => (index === last ? { ...block, ...CACHE_BREAKPOINT } : block));
}
