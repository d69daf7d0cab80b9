import type { Anthropic } from "@anthropic-ai/sdk";
import { checkOptions, checkPricing, type ModelClient, type OptionKinds, type Pricing } from "@pawl/core";
import type { ModelEvent } from "@pawl/core/model";
import { oneByOne, safeRequestId } from "@pawl/core/model";
import { BODY, type Body, bodyOf, type ClaudeBodyOptions } from "./body.ts";
import { openCall } from "./call.ts";
import { answerReader } from "./events.ts";
import { takesForcedToolChoice } from "./forced-tool-choice.ts";
import { type ClaudeSetUp, modelFailure } from "./model-failure.ts";
import { claudeFormat, hasOutputFormat } from "./output-format.ts";
import { pricingOf } from "./pricing.ts";
import { type Sender, senderOf } from "./sender.ts";

/** Options of `claude()`. */
export interface ClaudeOptions extends ClaudeBodyOptions {
  /** The API key. Default: the environment variable `ANTHROPIC_API_KEY`. */
  apiKey?: string;
  /** The URL of the API. Default: the environment variable `ANTHROPIC_BASE_URL`, or else the public API. */
  baseURL?: string;
  /**
   * The function that sends requests. Default: in Node, the connections of the global `fetch` without its web
   * streams, which costs half as much; elsewhere the global `fetch`. Pass `fetch` if a tool replaces the
   * global one, e.g. in tests.
   */
  fetch?: (url: string | URL | Request, init?: RequestInit) => Promise<Response>;
  /**
   * An SDK client of your own, instead of `apiKey`, `baseURL` and `fetch`, e.g. for another cloud or with the
   * SDK's own tracing. The client's retries are turned off.
   */
  client?: Pick<Anthropic, "messages">;
  /**
   * The prices of tokens, in US dollars per million. Default: the list prices that {@link pricingOf} returns.
   */
  pricing?: Pricing;
  /**
   * Whether requests may force the model to call a tool. Default: yes while thinking is off, for models that
   * are known to accept it. The newest models do not.
   */
  forcedToolChoice?: boolean;
  /**
   * Whether requests may have an output format, by which agents with an `output` get it. Default: yes for the
   * models from version 4.5. Set `false` for a server that refuses it.
   */
  outputFormat?: boolean;
}

const MODEL: OptionKinds<{ model: string }> = {
  model: {
    mustBe: 'the id of a model, e.g. "claude-sonnet-5-5"',
    is: (model) => typeof model === "string" && model !== "",
    required: true,
  },
};

const OPTIONS: OptionKinds<ClaudeOptions> = {
  apiKey: "string",
  baseURL: "string",
  fetch: "function",
  client: {
    mustBe: "a client of @anthropic-ai/sdk",
    is: (client) => typeof Object(Object(client).messages).create === "function",
  },
  pricing: "object",
  forcedToolChoice: "boolean",
  outputFormat: "boolean",
  thinking: "object",
  effort: "string",
  body: BODY,
};

/** Hints for option names of the SDK and of other libraries. */
const INSTEAD = {
  baseUrl: "Use `baseURL`.",
  apikey: "Use `apiKey`.",
  key: "Use `apiKey`.",
  maxTokens: "It is an option of agent().",
  max_tokens: "Use `maxTokens` of agent().",
  temperature: "Use `body: { temperature }`.",
  system: "Use `instructions` of agent().",
  maxRetries: "Wrap the model: resilient(model, { retry: { retries } }).",
  timeout: "Wrap the model: resilient(model, { idleWatchdog: { idleMs } }).",
  defaultHeaders: "Use `client`, an SDK client of your own.",
  headers: "Use `client`, an SDK client of your own.",
};

/**
 * Makes a `ModelClient` for Claude, over the official SDK. Each call sends one request and yields the events
 * of the stream as they arrive, including pings and unknown events. Requests are not retried. The only
 * timeout is ten minutes until the response headers arrive. For retries and an idle timeout, wrap the model
 * with `resilient` of `@pawl/core`. The first call loads the SDK.
 *
 * A failure throws a `PawlError` with the code `model_error`. Its `details.retryable` says whether the same
 * request may succeed later. An abort throws the signal's reason.
 *
 * @throws PawlError `config` for unknown and invalid options.
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
  checkOptions("claude()", { model }, MODEL);
  checkOptions("claude()", options, OPTIONS, { instead: INSTEAD });
  checkPricing(`claude("${model}")`, options.pricing);
  const pricing = options.pricing ?? pricingOf(model);
  let made: Promise<Sender> | undefined;
  const sender = (): Promise<Sender> => {
    // Tries again after a failure: the key may be set by then.
    made ??= senderOf(options).catch((error) => {
      made = undefined;
      throw error;
    });
    return made;
  };
  return {
    id: model,
    ...(pricing === undefined ? {} : { pricing }),
    forcedToolChoice: options.forcedToolChoice ?? takesForcedToolChoice(model, options),
    ...((options.outputFormat ?? hasOutputFormat(model)) && { outputFormat: claudeFormat }),
    // All models since Claude 3.5 do.
    reads: ["image", "pdf"],
    stream: (request, { signal }) => {
      // A client of the application's own has its own key and URL, which no hint would name correctly.
      const setUp = options.client === undefined ? { model } : undefined;
      return oneByOne(answerOf(sender, bodyOf(model, request, options), signal, setUp));
    },
  };
}

/** Sends one request and yields the events of the answer in batches. */
async function* answerOf(
  sender: () => Promise<Sender>,
  body: Body,
  signal: AbortSignal,
  setUp: ClaudeSetUp | undefined,
): AsyncGenerator<ModelEvent[], void, undefined> {
  signal.throwIfAborted();
  const call = openCall(signal);
  let used: Sender | undefined;
  let requestId: string | undefined;
  try {
    used = await sender();
    const answer = await used.send(body, call);
    requestId = safeRequestId(answer.headers.get("request-id") ?? null, used.secrets);
    const read = answerReader(answer, call, requestId);
    for (let events = await read(); events !== undefined; events = await read()) yield events;
  } catch (error) {
    throw signal.aborted
      ? signal.reason
      : modelFailure(error, used?.secrets() ?? [], requestId, setUp && { ...setUp, baseURL: used?.baseURL });
  } finally {
    call.close();
  }
}
