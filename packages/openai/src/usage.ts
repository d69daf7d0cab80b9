import type { RawUsage } from "@pawl/core/model";
import type { Body } from "./body.ts";
import type { Chunk } from "./chunk.ts";

/** The estimate for servers that report no usage, so that limits hold for them too. */
const CHARS_PER_TOKEN = 4;

export function estimatedTokens(chars: number): number {
  return Math.ceil(chars / CHARS_PER_TOKEN);
}

/** Estimates the prompt's tokens. The server reports them only at the end of its answer. */
export function estimatedPrompt({ messages, tools }: Body): number {
  return estimatedTokens(JSON.stringify([messages, tools ?? []]).length);
}

/**
 * Converts usage. In this API the prompt's tokens include cached and cache-written ones; in Pawl's usage they
 * do not.
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
