import type { RawUsage } from "@pawl/core/model";
import type { Body } from "./body.ts";
import { type Fields, isFields } from "./chunk.ts";

/** The length of a token in characters, for the estimate of usage that a server does not report. */
const CHARS_PER_TOKEN = 4;

export function estimatedTokens(chars: number): number {
  return Math.ceil(chars / CHARS_PER_TOKEN);
}

/** Estimates the prompt's tokens. The server reports the count only at the end of its answer. */
export function estimatedPrompt({ messages, tools }: Body): number {
  return estimatedTokens(JSON.stringify([messages, tools ?? []]).length);
}

/**
 * Converts the server's usage to Pawl's. A count that is no number from 0 is left out. This API's prompt
 * tokens include tokens read from and written to the cache; Pawl counts the three separately.
 */
export function usageOf({ prompt_tokens, completion_tokens, prompt_tokens_details }: Fields): RawUsage {
  const { cached_tokens, cache_write_tokens } = isFields(prompt_tokens_details) ? prompt_tokens_details : {};
  const prompt = isCount(prompt_tokens) ? prompt_tokens : undefined;
  const read = Math.min(prompt ?? 0, isCount(cached_tokens) ? cached_tokens : 0);
  const written = Math.min((prompt ?? 0) - read, isCount(cache_write_tokens) ? cache_write_tokens : 0);
  return {
    ...(prompt !== undefined && {
      input_tokens: prompt - read - written,
      cache_read_input_tokens: read,
      cache_creation_input_tokens: written,
    }),
    ...(isCount(completion_tokens) && { output_tokens: completion_tokens }),
  };
}

function isCount(value: unknown): value is number {
  return typeof value === "number" && value >= 0;
}
