import { Anthropic } from "@anthropic-ai/sdk";
import { Stream } from "@anthropic-ai/sdk/core/streaming";
import type { ModelClient, ModelEvent, ModelRequest, Pricing } from "@pawl/core";
import { cutOff, modelFailure } from "./model-failure.ts";
import { pricingOf } from "./pricing.ts";

export interface ClaudeOptions {
  /** `ANTHROPIC_API_KEY` when absent. */
  apiKey?: string;
  /** `ANTHROPIC_BASE_URL`, then the public API, when absent. */
  baseURL?: string;
  /** An SDK client of your own, instead of `apiKey` and `baseURL`. Its retries are not used. */
  client?: Anthropic;
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
 * and unknown ones included. It never retries and waits for as long as a stream is silent: put `withIdleWatchdog`, `withRetry`
 * and their like around it.
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
  let client = options.client;
  return {
    id: model,
    ...(pricing === undefined ? {} : { pricing }),
    async *stream(request, { signal }) {
      signal.throwIfAborted();
      client ??= clientOf(options);
      const call = openCall(signal);
      let requestId: string | undefined;
      try {
        const response = await client.messages
          .create(bodyOf(model, request, options), { maxRetries: 0, signal: call.signal })
          .asResponse();
        requestId = response.headers.get("request-id") ?? undefined;
        yield* eventsOf(response, call, requestId);
      } catch (error) {
        throw signal.aborted ? signal.reason : modelFailure(error, requestId);
      } finally {
        call.close();
      }
    },
  };
}

function clientOf({ apiKey, baseURL }: ClaudeOptions): Anthropic {
  return new Anthropic({
    ...(apiKey === undefined ? {} : { apiKey }),
    ...(baseURL === undefined ? {} : { baseURL }),
  });
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

/** The part of a signal that one call uses: its own listener, taken off when the call is over. */
interface Call {
  signal: AbortSignal;
  controller: AbortController;
  close(): void;
}

function openCall(signal: AbortSignal): Call {
  const controller = new AbortController();
  const abort = (): void => controller.abort(signal.reason);
  signal.addEventListener("abort", abort, { once: true });
  return {
    signal: controller.signal,
    controller,
    close() {
      signal.removeEventListener("abort", abort);
      controller.abort();
    },
  };
}

/**
 * The SDK's own iterator drops pings, which are the only sign of life of a model that thinks, and ends in silence when the
 * stream is cut. So the events are read one level below it.
 */
async function* eventsOf(
  response: Response,
  call: Call,
  requestId: string | undefined,
): AsyncGenerator<ModelEvent, void, undefined> {
  const events = Stream.rawEvents(response, call.controller);
  for await (const { event, data } of events) {
    if (event === null || data === "") continue;
    if (event === "error") throw streamError(data, response);
    const parsed = parseEvent(data);
    if (parsed === undefined) break;
    if (parsed.type === "message_stop") await endOf(events, call);
    yield parsed.type === "message_start" && requestId !== undefined
      ? { ...parsed, request_id: requestId }
      : parsed;
    if (parsed.type === "message_stop") return;
  }
  call.signal.throwIfAborted();
  throw cutOff(requestId);
}

/** Reads the end of the body, so that the connection can be used again; it follows at once, or it is not waited for. */
async function endOf(events: AsyncGenerator<unknown>, call: Call): Promise<void> {
  const timer = setTimeout(call.close, 100);
  await events.next().catch(() => undefined);
  clearTimeout(timer);
}

/** An event, or `undefined` for the half of one that a lost connection leaves. */
function parseEvent(data: string): ModelEvent | undefined {
  try {
    return JSON.parse(data) as ModelEvent;
  } catch {
    return undefined;
  }
}

function streamError(data: string, response: Response): Error {
  // A proxy may speak plain text; the failure stands all the same.
  const body = parseEvent(data) ?? { error: { message: data } };
  return new Anthropic.APIError(undefined, body, undefined, response.headers);
}
