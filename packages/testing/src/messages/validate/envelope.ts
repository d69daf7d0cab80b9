import { type ApiError, invalid } from "../../base/api-error.ts";
import { limitsOf, type ModelLimits } from "../../base/model-limits.ts";
import { shown } from "../../base/shown.ts";
import type { ParsedRequest } from "../../base/wire-request.ts";
import { cacheControl } from "./cache-control.ts";
import {
  anything,
  type Check,
  flag,
  integer,
  listOf,
  nullable,
  objectWith,
  oneOf,
  taggedBy,
  text,
} from "./checks.ts";

const display = nullable(oneOf("summarized", "omitted"));

const thinking: Check = taggedBy({
  adaptive: objectWith({ required: { type: text }, optional: { display } }),
  between_tools: objectWith({ required: { type: text } }),
  disabled: objectWith({ required: { type: text } }),
  enabled: objectWith({ required: { type: text, budget_tokens: integer(1024) }, optional: { display } }),
});

const outputConfig: Check = objectWith({
  optional: {
    effort: nullable(oneOf("low", "medium", "high", "xhigh", "max")),
    format: nullable(objectWith({ required: { type: oneOf("json_schema"), schema: anything } })),
  },
});

const parallel = { disable_parallel_tool_use: flag };

const toolChoice: Check = taggedBy({
  auto: objectWith({ required: { type: text }, optional: parallel }),
  any: objectWith({ required: { type: text }, optional: parallel }),
  tool: objectWith({ required: { type: text, name: text }, optional: parallel }),
  none: objectWith({ required: { type: text } }),
});

/**
 * Every field that a request may have at its top level. The API dropped `temperature`, `top_p` and `top_k` on
 * 2026-10-21.
 */
const fields: Check = objectWith({
  required: { model: text, max_tokens: integer(0), messages: listOf(anything) },
  optional: {
    cache_control: nullable(cacheControl),
    container: anything,
    diagnostics: nullable(objectWith({ optional: { previous_message_id: nullable(text) } })),
    inference_geo: nullable(text),
    metadata: objectWith({ optional: { user_id: nullable(text) } }),
    output_config: outputConfig,
    service_tier: oneOf("auto", "standard_only"),
    speed: nullable(oneOf("standard", "fast")),
    stop_sequences: listOf(text),
    stream: flag,
    system: anything,
    thinking,
    tool_choice: toolChoice,
    tools: listOf(anything),
    user_profile_id: text,
    workspace_id: text,
  },
});

/** Checks a request's top level: fields and their types, the model and its limits. */
export function checkEnvelope(
  body: unknown,
  models: { readonly [id: string]: ModelLimits },
): ApiError | undefined {
  const error = fields(body, "");
  if (error !== undefined) return error;
  const request = body as ParsedRequest;
  const limits = limitsOf(request.model, models);
  if (limits === undefined)
    return { status: 404, type: "not_found_error", message: `model: ${request.model}` };
  if (request.messages.length === 0) return invalid("messages: at least one message is required");
  // The wording of this error is a guess.
  if (request.messages.length > 100_000)
    return invalid("messages: List should have at most 100000 items after validation");
  return checkMaxTokens(request, limits) ?? checkStopSequences(request) ?? checkContainer(request);
}

function checkMaxTokens(request: ParsedRequest, limits: ModelLimits): ApiError | undefined {
  const { max_tokens, model } = request;
  if (max_tokens > limits.maxOutputTokens)
    return invalid(
      `max_tokens: ${max_tokens} > ${limits.maxOutputTokens}, which is the maximum allowed number of output tokens for ${model}`,
    );
  if (max_tokens > 0) return undefined;
  // A request with `max_tokens: 0` only fills the cache. The wording of these errors is a guess.
  const format = (request.output_config as { format?: unknown } | undefined)?.format;
  const clash = [
    request.stream === true && "`stream` is true",
    request.thinking !== undefined && request.thinking.type !== "disabled" && "thinking is enabled",
    format !== undefined && format !== null && "`output_config.format` is set",
    (request.tool_choice?.type === "any" || request.tool_choice?.type === "tool") &&
      "`tool_choice` forces tool use",
  ].find((reason) => reason !== false);
  return clash === undefined ? undefined : invalid(`max_tokens: 0 is not supported when ${clash}`);
}

function checkStopSequences(request: ParsedRequest): ApiError | undefined {
  const sequences = (request.stop_sequences ?? []) as string[];
  return sequences.some((sequence) => sequence.trim() === "")
    ? invalid("stop_sequences: each stop sequence must contain non-whitespace")
    : undefined;
}

function checkContainer(request: ParsedRequest): ApiError | undefined {
  if (request.container === undefined || request.container === null) return undefined;
  const runsCode = request.tools?.some((tool) => shown(tool.type).startsWith("code_execution_"));
  return runsCode === true
    ? undefined
    : invalid("Container identifier can only be provided when using the code execution tool");
}
