import type { Anthropic } from "@anthropic-ai/sdk";
import type { ModelRequest } from "@pawl/core";

export type Body = Anthropic.MessageCreateParamsStreaming;

/** What a request's body carries beside the request. */
export interface ClaudeBodyOptions {
  /** e.g. `{ type: "adaptive", display: "summarized" }`; by default newer models think without showing it. */
  thinking?: Anthropic.ThinkingConfigParam;
  /** How much work the model puts into an answer. */
  effort?: "low" | "medium" | "high" | "xhigh" | "max";
  /** Further fields of the request body, e.g. `{ metadata: { user_id: "u_1" } }`. */
  body?: { readonly [field: string]: unknown };
}

export function bodyOf(
  model: string,
  request: ModelRequest,
  { thinking, effort, body = {} }: ClaudeBodyOptions,
): Body {
  const { system, tools, messages, maxTokens, toolChoice } = request;
  const wire = {
    model,
    max_tokens: maxTokens,
    ...(system.length > 0 ? { system } : {}),
    ...(tools.length > 0 ? { tools } : {}),
    messages,
    ...(toolChoice === undefined ? {} : { tool_choice: toolChoice }),
    ...thinkingWithin(thinking, maxTokens),
    ...(effort === undefined ? {} : { output_config: { effort } }),
    ...body,
    stream: true as const,
  };
  // Blocks are passed through as the log holds them, also kinds the SDK's types do not know.
  return wire as unknown as Body;
}

/** The API's least for a budget of thinking. */
const LEAST_BUDGET = 1_024;

/**
 * A budget for thinking has to be below `max_tokens`, which a limit on tokens or cost may have cut: then it
 * is halved with it, so that there is an answer, and where less than the API's least would be left there is
 * no thinking.
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
