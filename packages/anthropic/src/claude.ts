import type { Anthropic } from "@anthropic-ai/sdk";
import type { ModelClient, Pricing } from "@pawl/core";
import {
  bodyWithout,
  checkModelClient,
  type FailedCall,
  type ModelClientChecks,
  type ModelEvent,
  modelFailure,
  oneByOne,
  pricingFor,
  safeRequestId,
} from "@pawl/core/model";
import { type Body, bodyOf, type ClaudeBodyOptions, OWN_FIELDS } from "./body.ts";
import { openCall } from "./call.ts";
import { type AnswerReading, answerReader } from "./events.ts";
import { takesForcedToolChoice } from "./forced-tool-choice.ts";
import { CLAUDE } from "./model-failure.ts";
import { claudeFormat, hasOutputFormat } from "./output-format.ts";
import { pricingOf, withSurcharges } from "./pricing.ts";
import { type Sender, senderOf } from "./sender.ts";
import { chargesOf } from "./usage.ts";

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
  pricing?: Pricing | undefined;
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

const CHECKS: ModelClientChecks<ClaudeOptions> = {
  maker: "claude",
  example: "claude-sonnet-5-5",
  clientOf: "@anthropic-ai/sdk",
  isClient: (value) => typeof Object(Object(value).messages).create === "function",
  kinds: {
    thinking: "object",
    effort: "string",
    body: bodyWithout(OWN_FIELDS),
    serverTools: "list",
  },
  instead: {
    tools: "Tools are options of agent(); those that run on the API's side are `serverTools`.",
    temperature: "Leave it out: the Messages API has no sampling parameters.",
  },
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
  checkModelClient(model, options, CHECKS);
  const given = options.pricing ?? pricingOf(model);
  const { speed, inference_geo } = options.body ?? {};
  const requested = { speed, inference_geo };
  const base = given && withSurcharges(given);
  const raised = base && pricingFor(base, requested);
  // The same object if the request raises nothing, so that an application finds its own prices.
  const pricing = raised === base ? given : raised;
  const reported = new Set<string>();
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
      const client = options.client === undefined ? { model } : undefined;
      const answer = { model, charge: chargesOf({ pricing: base, requested, reported }) };
      return oneByOne(answerOf(sender, bodyOf(model, request, options), answer, signal, client));
    },
  };
}

/** Sends one request and yields the events of the answer in batches. */
async function* answerOf(
  sender: () => Promise<Sender>,
  body: Body,
  reading: AnswerReading,
  signal: AbortSignal,
  client: FailedCall["client"],
): AsyncGenerator<ModelEvent[], void, undefined> {
  signal.throwIfAborted();
  const call = openCall(signal);
  let used: Sender | undefined;
  let requestId: string | undefined;
  try {
    used = await sender();
    const answer = await used.send(body, call);
    requestId = safeRequestId(answer.headers.get("request-id") ?? null, used.secrets);
    const read = answerReader(answer, call, { ...reading, requestId });
    for (let events = await read(); events !== undefined; events = await read()) yield events;
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    throw modelFailure(CLAUDE, error, {
      secrets: used?.secrets() ?? [],
      requestId,
      client: client && { ...client, baseURL: used?.baseURL },
    });
  } finally {
    call.close();
  }
}
