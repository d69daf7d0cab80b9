import type { APIError } from "openai/core/error";
import { isFields } from "./chunk.ts";

/** What the request was refused for: it is longer than the model's context window, or a filter blocks it. */
export type RefusedFor = "context_length_exceeded" | "content_filter";

/**
 * The words of servers by which they refuse a request: in an error's `code`, its `type`, the `code` of its
 * `innererror`, or in its message. `docs/dialects.md` names the source of each.
 */
const WORDS: readonly (readonly [RefusedFor, words: RegExp])[] = [
  ["context_length_exceeded", /context_length_exceeded|exceed_context_size_error|ContextWindowExceededError/],
  // OpenAI, Azure, DeepSeek, OpenRouter, vLLM; newer OpenAI models
  ["context_length_exceeded", /maximum context length is \d|exceeds the context window of this model/i],
  // vLLM; SGLang; others behind gateways
  ["context_length_exceeded", /longer than the maximum model length|longer than the maximum context length/i],
  ["context_length_exceeded", /exceeds the maximum allowed (input )?length/i],
  ["context_length_exceeded", /exceeds (the )?(model's )?maximum context length/i],
  // llama.cpp, LM Studio, Ollama
  ["context_length_exceeded", /exceeds the available context size|Context size has been exceeded/i],
  ["context_length_exceeded", /greater than the context length|exceed(s|ed)? (the |max )?context length/i],
  // Kronk
  ["context_length_exceeded", /context window is full/i],
  // Mistral: now, and earlier
  [
    "context_length_exceeded",
    /invalid_request_prompt_too_long|too large for model with \d+ maximum context/i,
  ],
  // Gemini
  ["context_length_exceeded", /input token count .*exceeds the maximum number of tokens/i],
  // Groq
  ["context_length_exceeded", /reduce the length of the messages/i],
  // xAI, Together
  ["context_length_exceeded", /maximum prompt length is \d|is longer than the model's context length/i],
  // Bedrock, also behind LiteLLM and OpenRouter; Anthropic
  ["context_length_exceeded", /Input is too long for requested model|prompt is too long/i],
  ["content_filter", /^content_filter$|content_policy_violation|ResponsibleAIPolicyViolation/],
  ["content_filter", /ContentPolicyViolationError|content management policy|PROHIBITED_CONTENT/],
  // OpenAI
  ["content_filter", /prompt was flagged as potentially violating/i],
  // OpenRouter, in front of models that are moderated
  ["content_filter", /requires moderation|input was flagged/i],
];

/**
 * The words of servers by which they say that they could not read the calls that the model wrote. The next
 * answer may be better. Servers that say it with status 500 need no words.
 */
const BROKEN_CALL: readonly RegExp[] = [
  // Groq, also behind LiteLLM
  /tool_use_failed/,
  // vLLM, if the request forces a call
  /validation error for list\[function-wrap.*Invalid JSON/s,
];

/** Returns whether the server could not read the calls that the model wrote, whatever the status. */
export function isBrokenCall({ code }: APIError, message: unknown): boolean {
  const said = [code, message].filter((one) => typeof one === "string");
  return BROKEN_CALL.some((words) => said.some((one) => words.test(one)));
}

/** Returns what a request was refused for; `undefined` for all other failures. */
export function refusedFor(
  { status, code, type, error }: APIError,
  message: unknown,
): RefusedFor | undefined {
  // A request that waits for its turn may be told to be shorter, too.
  if (status === 429) return undefined;
  const { innererror, metadata } = isFields(error) ? error : {};
  const inner = isFields(innererror) ? innererror.code : undefined;
  const flagged = isFields(metadata) && metadata.flagged_input ? "input was flagged" : undefined;
  const said = [code, type, inner, message, flagged].filter((one) => typeof one === "string");
  return WORDS.find(([, words]) => said.some((one) => words.test(one)))?.[0];
}
