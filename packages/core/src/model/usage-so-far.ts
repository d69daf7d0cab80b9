import { PawlError } from "../base/errors.ts";
import type { ModelEvent } from "./model-client.ts";
import { isCount, type RawUsage, type Usage, usageFromWire } from "./pricing.ts";
import type { Reply } from "./reply.ts";

/** Estimates for token counts that the server did not send. */
export interface UsageEstimates {
  /** Estimated tokens of the prompt. */
  estimatedTokens: number;
  /** The most tokens that the answer may have. */
  maxTokens: number;
  /** Estimates how many tokens a number of characters is. */
  estimateTokens(chars: number): number;
}

/**
 * Returns an answer's token counts as the server sent them. Estimates the prompt's count if it is missing.
 * Estimates the answer's count, too, if it is missing or the answer broke off. That estimate is at most
 * `maxTokens`, because longer answers are cut.
 */
export function usageSoFar({ usage: raw, finished, chars }: Reply, estimates: UsageEstimates): Usage {
  const usage = usageFromWire(raw);
  const promptCounts = [raw.input_tokens, raw.cache_read_input_tokens, raw.cache_creation_input_tokens];
  if (!promptCounts.some(isCount)) usage.inputTokens = estimates.estimatedTokens;
  if (finished && isCount(raw.output_tokens)) return usage;
  const estimate = Math.min(estimates.estimateTokens(chars), estimates.maxTokens);
  return { ...usage, outputTokens: Math.max(usage.outputTokens, estimate) };
}

/**
 * Returns whether an event reports what an answer has cost while the answer goes on, e.g. after a search on
 * the API's side. Clients report it by a `message_delta` without a stop reason.
 */
export function isUseSoFar({ stopReason }: Reply, { type }: ModelEvent): boolean {
  return type === "message_delta" && stopReason === null;
}

/** Returns what to report about the fields of an answer's usage that the model client does not know. */
export function unknownFieldErrors({ unknown_fields: fields }: RawUsage): PawlError[] {
  // A model client may be somebody else's, so its types are not enough.
  return (Array.isArray(fields) ? fields : []).map(
    (field) =>
      new PawlError(
        "model_error",
        `The usage of an answer has the unknown field "${field}". If it costs money, no limit counts it.`,
      ),
  );
}
