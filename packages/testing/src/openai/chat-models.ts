import type { ApiError } from "../base/api-error.ts";
import { estimateTokens } from "../messages/state/prompt-cache.ts";
import { refused } from "./chat-error.ts";
import type { ChatRequest } from "./chat-request.ts";

const REASONING = /^(?:gpt-[56](?!.*chat)|o\d)/;
/**
 * Matches models that accept tools only with `reasoning_effort: "none"`. The next pattern matches those that
 * reason by default.
 */
const NO_TOOLS_WITH_EFFORT = /^gpt-(?:5\.[456]|6)/;
const REASONS_BY_DEFAULT = /^gpt-(?:5\.6|6)/;
/** Matches models that always reason. They accept no tools in Chat Completions. */
const ALWAYS_REASONS = /^gpt-6(?:\.\d+|-astra)/;
/** The maximum length of a prompt, in tokens. */
const LONGEST = 922_000;

/**
 * Checks the rules of OpenAI's models, as of November 2026. Models that are not OpenAI's have no rules except
 * the length of the prompt.
 */
export function checkModel(request: ChatRequest): ApiError | undefined {
  const { model, messages, tools } = request;
  const tokens = estimateTokens([messages, tools ?? []]);
  if (tokens > LONGEST)
    return refused(
      `Input tokens exceed the configured limit of ${LONGEST} tokens. Your messages resulted in ${tokens} tokens. Please reduce the length of the messages.`,
      "messages",
      "context_length_exceeded",
    );
  return REASONING.test(model) ? (checkSampling(request) ?? checkEffort(request)) : undefined;
}

function checkSampling({ max_tokens, temperature, reasoning_effort }: ChatRequest): ApiError | undefined {
  if (typeof max_tokens === "number")
    return refused(
      "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
      "max_tokens",
      "unsupported_parameter",
    );
  if (typeof temperature !== "number" || temperature === 1 || reasoning_effort === "none") return undefined;
  return refused(
    `Unsupported value: 'temperature' does not support ${temperature} with this model. Only the default (1) value is supported.`,
    "temperature",
    "unsupported_value",
  );
}

function checkEffort({ model, tools, reasoning_effort }: ChatRequest): ApiError | undefined {
  const effort = reasoning_effort ?? (REASONS_BY_DEFAULT.test(model) ? "medium" : "none");
  if (reasoning_effort === "none" && ALWAYS_REASONS.test(model))
    return refused(
      "Unsupported value: 'reasoning_effort' does not support 'none' with this model. Supported values are: 'low', 'medium', 'high', and 'xhigh'.",
      "reasoning_effort",
      "unsupported_value",
    );
  if (tools === undefined || effort === "none" || !NO_TOOLS_WITH_EFFORT.test(model)) return undefined;
  return refused(
    `Function tools with reasoning_effort are not supported for ${model} in /v1/chat/completions. To use function tools, use /v1/responses or set reasoning_effort to 'none'.`,
    "reasoning_effort",
  );
}
