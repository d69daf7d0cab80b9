import type { Anthropic } from "@anthropic-ai/sdk";
import { BaseAnthropic } from "@anthropic-ai/sdk/client";
import type { ModelClient, Pricing } from "@pawl/core";
import type { ModelEvent } from "@pawl/core/model";
import { oneByOne, safeRequestId, secretsIn } from "@pawl/core/model";
import { type Body, bodyOf, type ClaudeBodyOptions } from "./body.ts";
import { bodyBytes } from "./body-bytes.ts";
import { openCall } from "./call.ts";
import { answerReader } from "./events.ts";
import { takesForcedToolChoice } from "./forced-tool-choice.ts";
import { modelFailure } from "./model-failure.ts";
import { nodeFetch } from "./node-fetch.ts";
import { pricingOf } from "./pricing.ts";

/** Options of `claude()`. */
export interface ClaudeOptions extends ClaudeBodyOptions {
  /** Default: `ANTHROPIC_API_KEY`. */
  apiKey?: string;
  /** Default: `ANTHROPIC_BASE_URL`, or else the public API. */
  baseURL?: string;
  /**
   * Sends the requests. Default: in Node, the dispatcher of the global fetch, at half of fetch's cost;
   * anywhere else the global fetch. Pass `fetch` if a tool replaces the global one, e.g. in tests.
   */
  fetch?: (url: string | URL | Request, init?: RequestInit) => Promise<Response>;
  /**
   * An SDK client of your own, instead of `apiKey`, `baseURL` and `fetch`, e.g. for another cloud or with the
   * SDK's own tracing. Its retries are not used.
   */
  client?: Pick<Anthropic, "messages">;
  /** Prices of tokens. Default: {@link pricingOf} the model. */
  pricing?: Pricing;
  /**
   * Whether requests may force the model to call a tool. Default: yes for models that are known to accept it
   * (the newest do not), while thinking is off.
   */
  forcedToolChoice?: boolean;
}

/**
 * Makes a `ModelClient` for Claude, over the official SDK. It sends one request and yields the stream's
 * events as they arrive, pings and unknown ones included. It never retries and has no time-out: wrap it with
 * `resilient` of `@pawl/core`.
 *
 * Failures are thrown as `PawlError` with the code `model_error`, whose `details` say whether the same
 * request may succeed later. An abort throws the signal's reason.
 *
 * @param model the model's id, e.g. `claude-sonnet-5-5`
 *
 * @example
 * ```ts
 * import { claude } from "@pawl/anthropic";
 *
 * const model = claude("claude-sonnet-5-5", {
 *   apiKey: "your key",
 *   thinking: { type: "adaptive", display: "summarized" },
 * });
 * console.log(model.id, model.pricing?.input); // claude-sonnet-5-5 2
 * ```
 */
export function claude(model: string, options: ClaudeOptions = {}): ModelClient {
  const pricing = options.pricing ?? pricingOf(model);
  let made: Sender | undefined;
  return {
    id: model,
    ...(pricing === undefined ? {} : { pricing }),
    forcedToolChoice: options.forcedToolChoice ?? takesForcedToolChoice(model, options),
    stream: (request, { signal }) => {
      const sender = () => {
        made ??= senderOf(options);
        return made;
      };
      return oneByOne(answerOf(sender, bodyOf(model, request, options), signal));
    },
  };
}

/** Sends one request, and yields the events of its answer in batches. */
async function* answerOf(
  sender: () => Sender,
  body: Body,
  signal: AbortSignal,
): AsyncGenerator<ModelEvent[], void, undefined> {
  signal.throwIfAborted();
  const call = openCall(signal);
  let used: Sender | undefined;
  let requestId: string | undefined;
  try {
    used = sender();
    const response = await used.send(body, call.signal);
    requestId = safeRequestId(response.headers.get("request-id"), used.secrets);
    const read = answerReader(response, call, requestId);
    for (let events = await read(); events !== undefined; events = await read()) yield events;
  } catch (error) {
    throw signal.aborted ? signal.reason : modelFailure(error, used?.secrets() ?? [], requestId);
  } finally {
    call.close();
  }
}

interface Sender {
  send(body: Body, signal: AbortSignal): Promise<Response>;
  /** Secrets that no failure may contain. */
  secrets(): string[];
}

/**
 * The user's own client is called through its `messages`. Ours is called one level below, with the body in
 * bytes: that keeps the SDK's authentication, errors and headers, at half of its cost per request.
 */
function senderOf({ apiKey, baseURL, fetch = nodeFetch(), client }: ClaudeOptions): Sender {
  if (client !== undefined) {
    return {
      send: (body, signal) => client.messages.create(body, { maxRetries: 0, signal }).asResponse(),
      secrets: () => secretsOf(client),
    };
  }
  const own = new BaseAnthropic({
    ...(apiKey === undefined ? {} : { apiKey }),
    ...(baseURL === undefined ? {} : { baseURL }),
    fetch,
    defaultHeaders: { "content-type": "application/json" },
  });
  return {
    send: (request, signal) => {
      const body = bodyBytes(request);
      return own.post("/v1/messages", { body, maxRetries: 0, signal }).asResponse();
    },
    secrets: () => secretsOf(own),
  };
}

/** Secrets of the client, including those that the SDK read from the environment. */
function secretsOf(client: object): string[] {
  const { apiKey, authToken, _options } = client as {
    apiKey?: unknown;
    authToken?: unknown;
    _options?: { defaultHeaders?: unknown };
  };
  const keys = [apiKey, authToken].filter((key) => typeof key === "string");
  return [...keys, ...secretsIn(_options?.defaultHeaders)];
}
