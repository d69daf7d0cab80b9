import type { RawUsage } from "@pawl/core/model";
import type { Body } from "./body.ts";
import type { Chunk } from "./chunk.ts";

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
 * Converts the server's usage to Pawl's. This API's prompt tokens include tokens read from and written to the
 * cache; Pawl counts the three separately.
 */
export function usageOf(usage: NonNullable<Chunk["usage"]>): RawUsage {
  const prompt = count(usage.prompt_tokens);
  const read = Math.min(prompt, count(usage.prompt_tokens_details?.cached_tokens));
  const written = Math.min(prompt - read, count(usage.prompt_tokens_details?.cache_write_tokens));
  return {
    input_tokens: prompt - read - written,
    cache_read_input_tokens: read,
    cache_creation_input_tokens: written,
    output_tokens: count(usage.completion_tokens),
  };
}

function count(value: number | null | undefined): number {
  return typeof value === "number" && value > 0 ? value : 0;
}
