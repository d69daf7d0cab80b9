import type { ApiError } from "../base/api-error.ts";
import { isObject } from "../base/wire-request.ts";
import { type Check, firstError } from "../messages/validate/checks.ts";
import {
  dictionary,
  flag,
  integer,
  listOf,
  missing,
  nullable,
  number,
  objectWith,
  oneOf,
  text,
} from "./chat-checks.ts";
import { chatError, refused } from "./chat-error.ts";
import { responseFormat } from "./chat-format.ts";
import { message } from "./chat-messages.ts";
import { chatTool, toolChoice } from "./chat-tools.ts";

const anything: Check = () => undefined;

/** Every field that a chat request may have. The values of fields that Pawl never sends are not checked. */
const fields: { readonly [field: string]: Check } = {
  model: text,
  messages: listOf(message),
  tools: listOf(chatTool, 128),
  tool_choice: toolChoice,
  parallel_tool_calls: flag,
  max_completion_tokens: nullable(integer(1)),
  max_tokens: nullable(integer(1)),
  stream: nullable(flag),
  stream_options: nullable(objectWith({}, { include_usage: flag, include_obfuscation: flag })),
  reasoning_effort: nullable(oneOf("none", "minimal", "low", "medium", "high", "xhigh", "max")),
  verbosity: nullable(oneOf("low", "medium", "high")),
  temperature: nullable(number),
  top_p: nullable(number),
  frequency_penalty: nullable(number),
  presence_penalty: nullable(number),
  n: nullable(integer(1)),
  seed: nullable(integer(Number.MIN_SAFE_INTEGER)),
  metadata: nullable(dictionary),
  response_format: responseFormat,
  service_tier: nullable(text),
  store: nullable(flag),
  user: text,
  safety_identifier: nullable(text),
  prompt_cache_key: nullable(text),
  prompt_cache_options: dictionary,
  prompt_cache_retention: nullable(text),
  logprobs: nullable(flag),
  top_logprobs: nullable(integer(0)),
  logit_bias: nullable(dictionary),
  stop: anything,
  modalities: anything,
  audio: anything,
  moderation: anything,
  prediction: anything,
  web_search_options: anything,
};

/** Checks each field of a request's body. */
export function checkEnvelope(body: unknown): ApiError | undefined {
  if (!isObject(body)) return chatError(400, { message: "Invalid type for body: expected an object." });
  if (body.model === undefined) return chatError(400, { message: "you must provide a model parameter" });
  if (body.messages === undefined) return missing("messages");
  return (
    firstError(Object.keys(body), (field) =>
      Object.hasOwn(fields, field)
        ? undefined
        : chatError(400, { message: `Unrecognized request argument supplied: ${field}` }),
    ) ??
    firstError(Object.entries(body), ([field, value]) => fields[field]?.(value, field)) ??
    checkTogether(body)
  );
}

/** Checks fields whose validity depends on other fields. */
function checkTogether(body: { [field: string]: unknown }): ApiError | undefined {
  for (const field of ["tool_choice", "parallel_tool_calls"] as const) {
    if (body[field] !== undefined && body.tools === undefined)
      return refused(
        `Invalid value for '${field}': '${field}' is only allowed when 'tools' are specified.`,
        field,
      );
  }
  if (isObject(body.stream_options) && body.stream !== true)
    return refused(
      "The 'stream_options' parameter is only allowed when 'stream' is enabled.",
      "stream_options",
    );
  return isSet(body.max_tokens) && isSet(body.max_completion_tokens)
    ? refused(
        "Setting 'max_tokens' and 'max_completion_tokens' at the same time is not supported.",
        "max_tokens",
        "invalid_parameter_combination",
      )
    : undefined;
}

function isSet(value: unknown): boolean {
  return value !== undefined && value !== null;
}
