import type { Anthropic } from "@anthropic-ai/sdk";
import type { ModelRequest } from "@pawl/core";

export type Body = Anthropic.MessageCreateParamsStreaming;

/** What a request's body carries beside the request. */
export interface BodyOptions {
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
  { thinking, effort, body = {} }: BodyOptions,
): Body {
  const { system, tools, messages, maxTokens, toolChoice } = request;
  const wire = {
    model,
    max_tokens: maxTokens,
    ...(system.length > 0 ? { system } : {}),
    ...(tools.length > 0 ? { tools } : {}),
    messages,
    ...(toolChoice === undefined ? {} : { tool_choice: toolChoice }),
    ...(thinking === undefined ? {} : { thinking }),
    ...(effort === undefined ? {} : { output_config: { effort } }),
    ...body,
    stream: true as const,
  };
  // Blocks are passed through as the log holds them, also kinds the SDK's types do not know.
  return wire as unknown as Body;
}

/** The body as JSON. Every turn sends the whole history again; a message that is frozen is put into text once. */
export function bodyText({ messages, ...rest }: Body): string {
  return `${JSON.stringify(rest).slice(0, -1)},"messages":[${messages.map(messageText).join(",")}]}`;
}

const texts = new WeakMap<object, string>();

function messageText(message: object): string {
  const known = texts.get(message);
  if (known !== undefined) return known;
  const text = JSON.stringify(message);
  if (Object.isFrozen(message)) texts.set(message, text);
  return text;
}
