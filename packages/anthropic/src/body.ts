import type { Anthropic } from "@anthropic-ai/sdk";
import type { ModelRequest } from "@pawl/core";
import { messagesFor, outputConfig } from "./output-format.ts";

export type Body = Anthropic.MessageCreateParamsStreaming;

/** Options of `claude()` that set fields of the request body. */
export interface ClaudeBodyOptions {
  /**
   * Configures thinking, e.g. `{ type: "adaptive", display: "summarized" }`. Default: the model's default.
   * Newer models think without showing it.
   */
  thinking?: Anthropic.ThinkingConfigParam;
  /** The amount of work that the model puts into an answer. Default: the model's default. */
  effort?: "low" | "medium" | "high" | "xhigh" | "max";
  /**
   * Further fields of the request body, e.g. `{ metadata: { user_id: "u_1" } }`. `output_config` is merged
   * with `effort` and with the output format of the agent's `output`. `model`, `messages`, `system`,
   * `max_tokens`, `tools`, `tool_choice` and `stream` are refused.
   */
  body?: { readonly [field: string]: unknown };
  /**
   * Tools that run on the API's side, e.g. `{ type: "web_search_20260318", name: "web_search" }`. They are
   * sent after the agent's tools. Their uses are in the cost. Default: none.
   */
  serverTools?: readonly { readonly type: string; readonly [field: string]: unknown }[];
}

/** Fields of the request body that the log, the agent's options or the client decide. */
export const OWN_FIELDS: readonly string[] = [
  "model",
  "messages",
  "system",
  "max_tokens",
  "tools",
  "tool_choice",
  "stream",
];

export function bodyOf(model: string, request: ModelRequest, options: ClaudeBodyOptions): Body {
  const { thinking, body = {}, serverTools = [] } = options;
  const { system, maxTokens, toolChoice } = request;
  const tools = serverTools.length === 0 ? request.tools : [...request.tools, ...serverTools];
  const wire = {
    model,
    max_tokens: maxTokens,
    ...(system.length > 0 ? { system } : {}),
    ...(tools.length > 0 ? { tools } : {}),
    messages: messagesFor(request),
    ...(toolChoice === undefined ? {} : { tool_choice: toolChoice }),
    ...thinkingWithin(thinking, maxTokens),
    ...body,
    ...outputConfig(request, options),
    stream: true as const,
  };
  // Blocks are sent as they are in the log, including block types that the SDK does not declare.
  return wire as unknown as Body;
}

/** The API's minimum for a thinking budget, in tokens. */
const LEAST_BUDGET = 1_024;

/**
 * Returns a thinking budget below `max_tokens`, which a limit on tokens or cost may have lowered. A larger
 * budget becomes half of `max_tokens`, so that tokens are left for the answer. If that is below the API's
 * minimum, thinking is left out.
 */
function thinkingWithin(
  thinking: ClaudeBodyOptions["thinking"],
  maxTokens: number,
): { thinking?: Anthropic.ThinkingConfigParam } {
  if (thinking === undefined) return {};
  if (thinking.type !== "enabled" || thinking.budget_tokens < maxTokens) return { thinking };
  const budget_tokens = Math.floor(maxTokens / 2);
  return budget_tokens < LEAST_BUDGET ? {} : { thinking: { ...thinking, budget_tokens } };
}
