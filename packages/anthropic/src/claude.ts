import type { Anthropic } from "@anthropic-ai/sdk";
import { BaseAnthropic } from "@anthropic-ai/sdk/client";
import { Messages } from "@anthropic-ai/sdk/resources/messages/messages";
import type { ModelClient, ModelRequest, Pricing } from "@pawl/core";
import { openCall } from "./call.ts";
import { eventsOf } from "./events.ts";
import { modelFailure } from "./model-failure.ts";
import { type Fetch, nodeFetch } from "./node-fetch.ts";
import { pricingOf } from "./pricing.ts";

export interface ClaudeOptions {
  /** `ANTHROPIC_API_KEY` when absent. */
  apiKey?: string;
  /** `ANTHROPIC_BASE_URL`, then the public API, when absent. */
  baseURL?: string;
  /** How requests are sent: over Node's own HTTP client when absent, outside of Node with the global fetch. */
  fetch?: Fetch;
  /** An SDK client of your own, instead of `apiKey`, `baseURL` and `fetch`. Its retries are not used. */
  client?: Pick<Anthropic, "messages">;
  /** What tokens cost; {@link pricingOf} the model when absent. */
  pricing?: Pricing;
  /** e.g. `{ type: "adaptive", display: "summarized" }`; by default newer models think without showing it. */
  thinking?: Anthropic.ThinkingConfigParam;
  /** How much work the model puts into an answer. */
  effort?: "low" | "medium" | "high" | "xhigh" | "max";
  /** Further fields of the request body, e.g. `{ metadata: { user_id: "u_1" } }`. */
  body?: { readonly [field: string]: unknown };
}

/**
 * Claude as a `ModelClient`, over the official SDK. It sends one request and yields the stream's events as they come, pings
 * and unknown ones included; it never retries and leaves the idle watchdog to the loop.
 *
 * Failures are thrown as `PawlError` with the code `model_error`, whose `details` say whether the same request may succeed later.
 * An abort throws the signal's reason.
 *
 * @param model the model's id, e.g. `claude-sonnet-5-5`
 *
 * @example
 * ```ts
 * import { claude } from "@pawl/anthropic";
 *
 * const model = claude("claude-sonnet-5-5", { apiKey: "your key", thinking: { type: "adaptive", display: "summarized" } });
 * console.log(model.id, model.pricing?.input); // claude-sonnet-5-5 2
 * ```
 */
export function claude(model: string, options: ClaudeOptions = {}): ModelClient {
  const pricing = options.pricing ?? pricingOf(model);
  let send: Send | undefined;
  return {
    id: model,
    ...(pricing === undefined ? {} : { pricing }),
    async *stream(request, { signal }) {
      signal.throwIfAborted();
      send ??= senderOf(options);
      const call = openCall(signal);
      let requestId: string | undefined;
      try {
        const response = await send(bodyOf(model, request, options), call.signal);
        requestId = response.headers.get("request-id") ?? undefined;
        for await (const events of eventsOf(response, call, requestId)) {
          for (const event of events) yield event;
        }
      } catch (error) {
        throw signal.aborted ? signal.reason : modelFailure(error, requestId);
      } finally {
        call.close();
      }
    },
  };
}

type Send = (body: Anthropic.MessageCreateParamsStreaming, signal: AbortSignal) => Promise<Response>;

/** The part of the SDK that is used. */
class Client extends BaseAnthropic {
  readonly messages: Messages = new Messages(this);
}

function senderOf({ apiKey, baseURL, fetch = nodeFetch(), client }: ClaudeOptions): Send {
  const { messages } =
    client ??
    new Client({
      ...(apiKey === undefined ? {} : { apiKey }),
      ...(baseURL === undefined ? {} : { baseURL }),
      ...(fetch === undefined ? {} : { fetch }),
    });
  return (body, signal) => messages.create(body, { maxRetries: 0, signal }).asResponse();
}

function bodyOf(
  model: string,
  request: ModelRequest,
  { thinking, effort, body = {} }: ClaudeOptions,
): Anthropic.MessageCreateParamsStreaming {
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
  return wire as unknown as Anthropic.MessageCreateParamsStreaming;
}
