import type { ModelRequest, ToolChoice, ToolSpec } from "@pawl/core";
import type { OpenAI } from "openai";
import { wireMessages } from "./messages.ts";
import { responseFormat } from "./output-format.ts";
import { undated } from "./pricing.ts";

export type Body = OpenAI.ChatCompletionCreateParamsStreaming;

/** Options of `openai()` that set fields of the request body. */
export interface OpenAIBodyOptions {
  /**
   * The amount of reasoning. Default: the model's default. Exception: `gpt-5.6-*`, `gpt-6-sol` and
   * `gpt-6-luna` refuse tools while they reason, so requests with tools send `none`.
   */
  reasoningEffort?: OpenAI.ReasoningEffort;
  /**
   * The name of the field that limits the answer's length. Older servers accept only `max_tokens`. Default:
   * `max_completion_tokens`.
   */
  maxTokensField?: "max_completion_tokens" | "max_tokens";
  /**
   * The role of the system prompt. Every server accepts `system`; OpenAI's own models call it `developer`.
   * Default: `system`.
   */
  systemRole?: "system" | "developer";
  /**
   * Further fields of the request body, e.g. `{ temperature: 0 }`. The value `undefined` removes a field that
   * Pawl sets. `model`, `messages`, `stream`, limits on the answer's length, tools and what makes the model
   * call them, and `n` are refused.
   */
  body?: { readonly [field: string]: unknown };
}

/** Fields of the request body that the log, the agent's options or the client decide. */
export const OWN_FIELDS: readonly string[] = [
  "model",
  "messages",
  "stream",
  "max_tokens",
  "max_completion_tokens",
  "tools",
  "tool_choice",
  "functions",
  "function_call",
  // Only the first answer is read, and all are charged.
  "n",
];

export function bodyOf(model: string, request: ModelRequest, options: OpenAIBodyOptions): Body {
  const { tools, maxTokens, toolChoice } = request;
  const { maxTokensField = "max_completion_tokens", systemRole = "system", body = {} } = options;
  const hasTools = tools.length > 0;
  const effort = options.reasoningEffort ?? (hasTools ? effortWithTools(model) : undefined);
  const wire = {
    model,
    messages: wireMessages(request, systemRole, model),
    ...(hasTools && { tools: tools.map(wireTool), ...choiceOf(toolChoice) }),
    [maxTokensField]: maxTokens,
    ...(effort !== undefined && { reasoning_effort: effort }),
    ...responseFormat(request),
    stream_options: { include_usage: true },
    ...body,
    stream: true as const,
  };
  return wire as Body;
}

/** Models that reason by default and for which Chat Completions refuses tools while they reason. */
const NO_TOOLS_WHILE_REASONING = /^gpt-5\.6(-|$)|^gpt-6-(sol|luna)$/;

function effortWithTools(model: string): "none" | undefined {
  return NO_TOOLS_WHILE_REASONING.test(undated(model)) ? "none" : undefined;
}

/**
 * Converts a tool. Cache breakpoints are left out, because OpenAI caches prefixes by itself. `properties` is
 * required, even if empty.
 */
function wireTool({ name, description, input_schema, strict }: ToolSpec): OpenAI.ChatCompletionFunctionTool {
  const parameters = "properties" in input_schema ? input_schema : { ...input_schema, properties: {} };
  const isStrict = strict === true ? { strict } : {};
  return { type: "function", function: { name, description, parameters, ...isStrict } };
}

function choiceOf(choice: ToolChoice | undefined): Partial<Body> {
  if (choice === undefined) return {};
  if (choice.type === "none") return { tool_choice: "none" };
  return {
    tool_choice: toolChoice(choice),
    ...(choice.disable_parallel_tool_use === true && { parallel_tool_calls: false }),
  };
}

function toolChoice(choice: Exclude<ToolChoice, { type: "none" }>): OpenAI.ChatCompletionToolChoiceOption {
  if (choice.type === "tool") return { type: "function", function: { name: choice.name } };
  return choice.type === "any" ? "required" : "auto";
}
