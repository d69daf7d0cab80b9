import type { ModelClient, ModelRequest, Pricing } from "@pawl/core";
import {
  bodyWithout,
  checkModelClient,
  longestAnswer,
  type ModelClientChecks,
  type ModelEvent,
  modelFailure,
  pricingFor,
  safeRequestId,
  unreadable,
} from "@pawl/core/model";
import type { OpenAI } from "openai";
import { type AnswerEvents, type AnswerOptions, answerEvents } from "./answer-events.ts";
import { bodyOf, type OpenAIBodyOptions, OWN_FIELDS } from "./body.ts";
import { callIds } from "./call-ids.ts";
import type { Chunk } from "./chunk.ts";
import { OPENAI } from "./model-failure.ts";
import { chatFormat } from "./output-format.ts";
import { pricingOf, withTiers } from "./pricing.ts";
import { readChunks } from "./read-chunks.ts";
import { type Sender, senderOf } from "./sender.ts";
import { chargesOf, estimatedPrompt } from "./usage.ts";

/** Options of `openai()`. */
export interface OpenAIOptions extends OpenAIBodyOptions {
  /**
   * The API key. For a server without keys, pass any text. Default: the environment variable
   * `OPENAI_API_KEY`, also for other servers.
   */
  apiKey?: string;
  /**
   * The URL of a server that speaks Chat Completions, e.g. `http://localhost:11434/v1`. Default: the
   * environment variable `OPENAI_BASE_URL`, or else OpenAI's API.
   */
  baseURL?: string;
  /** The function that sends requests. Default: the global `fetch`. */
  fetch?: (url: string | URL | Request, init?: RequestInit) => Promise<Response>;
  /**
   * An SDK client of your own, instead of `apiKey`, `baseURL` and `fetch`, e.g. `AzureOpenAI`. The client's
   * retries are turned off.
   */
  client?: Pick<OpenAI, "chat">;
  /** The prices of tokens, in US dollars per million. Default: the prices that {@link pricingOf} returns. */
  pricing?: Pricing | undefined;
  /**
   * Whether requests may force the model to call a tool. Default: yes for OpenAI's models that {@link
   * pricingOf} knows.
   */
  forcedToolChoice?: boolean;
  /**
   * Whether requests may have a `response_format` with a JSON Schema, by which agents with an `output` get
   * it. Default: yes for OpenAI's models that {@link pricingOf} knows.
   */
  outputFormat?: boolean;
  /**
   * What the model reads besides text. Default: images and PDFs for OpenAI's own models, and nothing for
   * others. Other servers often read images only: `["image"]`.
   */
  reads?: readonly ("image" | "pdf")[];
  /** Returns a new id for a call or an answer whose own id cannot be used. Default: random ids. */
  newId?: () => string;
}

const CHECKS: ModelClientChecks<OpenAIOptions> = {
  maker: "openai",
  example: "gpt-5.4-mini",
  clientOf: "the package openai",
  isClient: (value) => typeof Object(Object(Object(value).chat).completions).create === "function",
  kinds: {
    reads: "list",
    newId: "function",
    reasoningEffort: "any",
    maxTokensField: "string",
    systemRole: "string",
    body: bodyWithout(OWN_FIELDS),
  },
  instead: { organization: "Use `client`, an SDK client of your own." },
};

/**
 * Makes a `ModelClient` for OpenAI's models, or with `baseURL` for any server that speaks Chat Completions.
 * Each call sends one request through the official SDK and yields the answer's events as they arrive. There
 * are no retries and no timeout: wrap the model with `resilient` of `@pawl/core`.
 *
 * Reasoning is not stored: this model's reasoning becomes `ping` events, and thinking of other models is not
 * sent. A tool call gets a new id if the server's id cannot be used in later requests.
 *
 * A failure throws a `PawlError` with the code `model_error`. Its `details.retryable` says whether the same
 * request may succeed later. An abort throws the signal's reason.
 *
 * @throws PawlError `config` for unknown and invalid options.
 *
 * @param model the model's id, e.g. `gpt-5.4-mini`
 *
 * @example
 * ```ts
 * import { openai } from "@pawl/openai";
 *
 * const model = openai("gpt-5.4-mini", { apiKey: "your key" });
 * const local = openai("qwen3", { apiKey: "none", baseURL: "http://localhost:11434/v1" });
 * console.log(model.id, model.pricing?.input, local.pricing); // gpt-5.4-mini 0.75 undefined
 * ```
 */
export function openai(model: string, options: OpenAIOptions = {}): ModelClient {
  checkModelClient(model, options, CHECKS);
  const list = pricingOf(model);
  const given = options.pricing ?? list;
  const requested = { service_tier: options.body?.service_tier };
  const base = given && withTiers(model, given);
  const raised = base && pricingFor(base, requested);
  // The same object if the request raises nothing, so that an application finds its own prices.
  const pricing = raised === base ? given : raised;
  let sender: Sender | undefined;
  const reported = new Set<string>();
  const charge = () => chargesOf({ pricing: base, requested, reported });
  return {
    id: model,
    ...(pricing && { pricing }),
    forcedToolChoice: options.forcedToolChoice ?? list !== undefined,
    ...((options.outputFormat ?? list !== undefined) && { outputFormat: chatFormat }),
    reads: options.reads ?? (list === undefined ? [] : ["image", "pdf"]),
    async *stream(request, { signal }) {
      signal.throwIfAborted();
      try {
        sender ??= senderOf(options);
      } catch (error) {
        const secrets = options.apiKey === undefined ? [] : [options.apiKey];
        throw modelFailure(OPENAI, error, { secrets, client: { model } });
      }
      yield* answerOf(sender, model, request, { ...options, charge: charge() }, signal);
    },
  };
}

/** Sends one request and yields the events of the answer. */
async function* answerOf(
  { send, secrets, baseURL }: Sender,
  model: string,
  request: ModelRequest,
  options: OpenAIOptions & Pick<AnswerOptions, "charge">,
  signal: AbortSignal,
): AsyncGenerator<ModelEvent, void, undefined> {
  const { newId = randomId } = options;
  const call = new AbortController();
  const abort = (): void => call.abort(signal.reason);
  signal.addEventListener("abort", abort, { once: true });
  let requestId: string | undefined;
  try {
    const body = bodyOf(model, request, options);
    const response = await send(body, call.signal);
    requestId = safeRequestId(response.headers.get("x-request-id"), secrets);
    const promptTokens = estimatedPrompt(body);
    const callId = callIds(request.messages, newId);
    const { maxTokens } = request;
    const maxChars = longestAnswer(maxTokens);
    const about = { model, requestId, promptTokens, callId, newId, charge: options.charge };
    const answer = answerEvents({ ...about, maxTokens, maxChars });
    for await (const chunks of readChunks(response, requestId)) {
      for (const chunk of chunks) yield* taken(answer, chunk);
      if (answer.isOverlong()) break;
    }
    yield* answer.end();
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    const client = options.client === undefined ? { model, baseURL } : undefined;
    throw modelFailure(OPENAI, error, { secrets: secrets(), requestId, client });
  } finally {
    signal.removeEventListener("abort", abort);
    // Closes the connection if the answer was not read to its end; otherwise does nothing.
    call.abort();
  }
}

function taken(answer: AnswerEvents, chunk: Chunk): ModelEvent[] {
  try {
    return answer.take(chunk);
  } catch (error) {
    throw unreadable(error);
  }
}

function randomId(): string {
  return `call_${crypto.randomUUID().replaceAll("-", "").slice(0, 24)}`;
}
