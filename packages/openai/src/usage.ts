import { type RawUsage, type UsageChargesOptions, usageCharges } from "@pawl/core/model";
import type { Body } from "./body.ts";
import { type Fields, isFields } from "./chunk.ts";

/** The length of a token in characters, for the estimate of usage that a server does not report. */
const CHARS_PER_TOKEN = 4;

/** The length up to which the usage is kept with fields that are not counted, as JSON. */
const LONGEST_USAGE = 4_000;

export function estimatedTokens(chars: number): number {
  return Math.ceil(chars / CHARS_PER_TOKEN);
}

/** Estimates the prompt's tokens. The server reports the count only at the end of its answer. */
export function estimatedPrompt({ messages, tools }: Body): number {
  return estimatedTokens(JSON.stringify([messages, tools ?? []]).length);
}

/**
 * Converts the server's usage to Pawl's, and keeps its other fields. A count that is no number from 0 is left
 * out. This API's prompt tokens include tokens read from and written to the cache; Pawl counts the three
 * separately.
 */
export function usageOf(sent: Fields): RawUsage {
  const { prompt_tokens, completion_tokens, prompt_tokens_details } = sent;
  const details = isFields(prompt_tokens_details) ? prompt_tokens_details : {};
  const prompt = isCount(prompt_tokens) ? prompt_tokens : undefined;
  // OpenAI and most others; DeepSeek; Moonshot. Then LiteLLM and OpenRouter in front of Claude.
  const cached = countOf(details.cached_tokens, sent.prompt_cache_hit_tokens, sent.cached_tokens);
  const stored = countOf(details.cache_write_tokens, sent.cache_creation_input_tokens);
  const read = Math.min(prompt ?? 0, cached);
  const written = Math.min((prompt ?? 0) - read, stored);
  const { input_tokens: _, output_tokens: __, ...rest } = sent;
  return {
    ...(JSON.stringify(rest).length <= LONGEST_USAGE && rest),
    ...(prompt !== undefined && {
      input_tokens: prompt - read - written,
      cache_read_input_tokens: read,
      cache_creation_input_tokens: written,
    }),
    ...(isCount(completion_tokens) && { output_tokens: completion_tokens }),
  };
}

/** Fields of a usage that are counted, or that cost nothing. `docs/dialects.md` names their servers. */
const KNOWN: ReadonlySet<string> = new Set([
  "input_tokens",
  "output_tokens",
  "cache_read_input_tokens",
  "cache_creation_input_tokens",
  "service_tier",
  "prompt_tokens",
  "completion_tokens",
  "total_tokens",
  ...fieldsOf(
    "prompt_tokens_details",
    "cached_tokens cache_write_tokens text_tokens image_tokens audio_tokens",
  ),
  ...fieldsOf("prompt_tokens_details", "cache_creation_tokens video_tokens"),
  ...fieldsOf("completion_tokens_details", "reasoning_tokens text_tokens image_tokens audio_tokens"),
  ...fieldsOf("completion_tokens_details", "accepted_prediction_tokens rejected_prediction_tokens"),
  ...fieldsOf("server_tool_use", "web_search_requests"),
  // DeepSeek, Moonshot
  "prompt_cache_hit_tokens",
  "prompt_cache_miss_tokens",
  "cached_tokens",
  // Groq
  "queue_time",
  "prompt_time",
  "completion_time",
  "total_time",
  // OpenRouter
  "cost",
  "is_byok",
  ...fieldsOf(
    "cost_details",
    "upstream_inference_cost upstream_inference_prompt_cost upstream_inference_completions_cost",
  ),
]);

function fieldsOf(outer: string, inner: string): string[] {
  return [outer, ...inner.split(" ").map((field) => `${outer}.${field}`)];
}

/** Makes the function that adds to the usage of one answer what is charged besides tokens. */
export function chargesOf(options: Omit<UsageChargesOptions, "known">): (usage: object) => RawUsage {
  return usageCharges({ ...options, known: KNOWN });
}

/** Returns the first count that is one, and else 0. */
function countOf(...values: unknown[]): number {
  return values.find(isCount) ?? 0;
}

function isCount(value: unknown): value is number {
  return typeof value === "number" && value >= 0;
}
