import { estimateTokens } from "../messages/state/prompt-cache.ts";
import { type ChatRequest, chatText } from "./chat-request.ts";

/** The API caches prefixes automatically, from this length on and in these steps, both in tokens. */
const LEAST = 1_024;
const STEP = 128;

/** The automatic cache of prompts. */
export interface PrefixCache {
  /** Counts a prompt's tokens and those read from the cache, and then caches the whole prompt. */
  take(request: ChatRequest): { tokens: number; cached: number };
}

export function prefixCache(): PrefixCache {
  const seen = new Set<string>();
  return {
    take({ model, tools = [], messages }) {
      let prefix = JSON.stringify([model, tools]);
      let tokens = estimateTokens(tools);
      let cached = 0;
      for (const message of messages) {
        prefix += JSON.stringify(message);
        tokens += estimateTokens(chatText(message)) + estimateTokens(message.tool_calls ?? "");
        if (seen.has(prefix)) cached = tokens;
        seen.add(prefix);
      }
      return { tokens, cached: cached < LEAST ? 0 : cached - (cached % STEP) };
    },
  };
}
