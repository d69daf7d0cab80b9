import { estimateTokens } from "../messages/state/prompt-cache.ts";
import { type ChatRequest, chatText } from "./chat-request.ts";

/** The minimum length of a cached prefix, and the steps in which longer ones are cached, both in tokens. */
const LEAST = 1_024;
const STEP = 128;

/** OpenAI's automatic cache of prompts. */
export interface PrefixCache {
  /**
   * Returns the prompt's tokens, and how many of them are read from the cache. Then caches the whole prompt.
   */
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
