import { checkOptions, type OptionKinds } from "../../base/check-options.ts";
import { checkPricing, type Pricing } from "../pricing.ts";

/** The options that model clients over an SDK have in common. Each client documents its own defaults. */
export interface ModelClientOptions {
  apiKey?: string;
  baseURL?: string;
  fetch?: (url: string | URL | Request, options?: RequestInit) => Promise<Response>;
  /** A client of the SDK, instead of `apiKey`, `baseURL` and `fetch`. */
  client?: object;
  /** The prices of tokens, in US dollars per million. */
  pricing?: Pricing | undefined;
  /** Whether requests may force the model to call a tool. */
  forcedToolChoice?: boolean;
  /** Whether requests may have an output format. */
  outputFormat?: boolean;
}

/** What {@link checkModelClient} needs to know about a client and its own options. */
export interface ModelClientChecks<Options extends ModelClientOptions> {
  /** The name of the function that makes the client, e.g. `claude`. */
  maker: string;
  /** An example of a model's id. */
  example: string;
  /** The name of the SDK's package, for errors. */
  clientOf: string;
  /** Returns whether a value is a client of the SDK. */
  isClient(value: unknown): boolean;
  /** The kinds of the options that only this client has. */
  kinds: OptionKinds<Omit<Options, keyof ModelClientOptions>>;
  /** Hints for option names of other libraries, besides the common ones, see `checkOptions`. */
  instead?: { readonly [name: string]: string };
}

/** Hints for option names of SDKs and of other libraries: which option of Pawl to use instead. */
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
 * Checks the arguments of a function that makes a model client over an SDK: the model's id and the options.
 *
 * @throws PawlError `config` for unknown and invalid options. The message has hints for the names that other
 * libraries use.
 *
 * @example
 * ```ts
 * import { checkModelClient, type ModelClientChecks, type ModelClientOptions } from "@pawl/core/model";
 *
 * interface MyOptions extends ModelClientOptions {
 *   effort?: string;
 * }
 * const CHECKS: ModelClientChecks<MyOptions> = {
 *   maker: "mine",
 *   example: "m-1",
 *   clientOf: "my-sdk",
 *   isClient: (value) => typeof Object(value).send === "function",
 *   kinds: { effort: "string" },
 * };
 * checkModelClient("m-1", { apiKey: "key-1", effort: "low" }, CHECKS);
 * try {
 *   checkModelClient("m-1", { timeout: 5 } as MyOptions, CHECKS);
 * } catch (error) {
 *   console.log(String(error)); // … mine() has no option "timeout". Wrap the model: …
 * }
 * ```
 */
export function checkModelClient<Options extends ModelClientOptions>(
  model: string,
  options: Options,
  { maker, example, clientOf, isClient, kinds, instead }: ModelClientChecks<Options>,
): void {
  const modelKind: OptionKinds<{ model: string }> = {
    model: {
      mustBe: `the id of a model, e.g. "${example}"`,
      is: (value) => typeof value === "string" && value !== "",
      required: true,
    },
  };
  const sharedKinds: OptionKinds<ModelClientOptions> = {
    apiKey: "string",
    baseURL: "string",
    fetch: "function",
    client: { mustBe: `a client of ${clientOf}`, is: isClient },
    pricing: "object",
    forcedToolChoice: "boolean",
    outputFormat: "boolean",
  };
  checkOptions(`${maker}()`, { model }, modelKind);
  checkOptions(`${maker}()`, options, { ...sharedKinds, ...kinds }, { instead: { ...INSTEAD, ...instead } });
  checkPricing(`${maker}("${model}")`, options.pricing);
}

/**
 * Returns the kind of an option `body` for `checkOptions()`. Such an option adds its fields to the body of
 * each request. It must be an object without `fields`, which the client sets itself.
 *
 * @example
 * ```ts
 * import { checkOptions } from "@pawl/core";
 * import { bodyWithout } from "@pawl/core/model";
 *
 * const KINDS = { body: bodyWithout(["model", "messages"]) };
 * checkOptions("mine()", { body: { temperature: 0 } }, KINDS);
 * try {
 *   checkOptions("mine()", { body: { model: "m-2" } }, KINDS);
 * } catch (error) {
 *   console.log(String(error)); // … `body` of mine() must be an object without model, messages, …
 * }
 * ```
 */
export function bodyWithout(fields: readonly string[]): OptionKinds<{ body: object }>["body"] {
  return {
    mustBe: `an object without ${fields.join(", ")}, which Pawl sets`,
    is: (body) =>
      typeof body === "object" && body !== null && !fields.some((field) => Object.hasOwn(body, field)),
  };
}
