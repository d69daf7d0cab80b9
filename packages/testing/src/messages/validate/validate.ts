import { checkOptions, type OptionKinds } from "@pawl/core";
import type { ApiError } from "../../base/api-error.ts";
import { invalid } from "../../base/api-error.ts";
import { loneSurrogateIn } from "../../base/lone-surrogate.ts";
import { currentModels, limitsOf, type ModelLimits } from "../../base/model-limits.ts";
import { isTooDeep } from "../../base/too-deep.ts";
import type { ParsedRequest } from "../../base/wire-request.ts";
import type { PausedTurns } from "../state/paused-turns.ts";
import { promptSize } from "../state/prompt-cache.ts";
import { checkCacheControl } from "./cache-control.ts";
import { checkContent } from "./content.ts";
import { checkEnvelope } from "./envelope.ts";
import { checkOutputFormat } from "./output-format.ts";
import { checkPairing } from "./pairing.ts";
import { checkRoles, type LegacyRules } from "./roles.ts";
import { checkThinking } from "./thinking.ts";
import { checkTools } from "./tools.ts";

/** Options of `validateMessagesRequest()` and of simulators. */
export interface ValidateOptions {
  /** The models that exist, keyed by id. Default: the current models of Anthropic. */
  models?: { readonly [id: string]: ModelLimits };
  /**
   * The key that signs thinking blocks. Give two simulators the same key if one continues the other's
   * conversations. Default: a fixed key.
   */
  secret?: string;
  /** Rules that the API had in the past. Default: none. */
  legacy?: LegacyRules;
}

export const VALIDATE: OptionKinds<ValidateOptions> = {
  models: "object",
  secret: "string",
  legacy: "object",
};

/** The default for `secret`. */
export const defaultSecret = "pawl-testing";

/**
 * Validates the body of a Messages API request as strictly as the API does. Returns the API's first error, or
 * `undefined` for a valid request. Checks in this order: top level, tools and blocks, cache breakpoints,
 * roles, tool pairing, thinking, length.
 *
 * @param body the parsed JSON body, of any shape
 *
 * @example
 * ```ts
 * import { validateMessagesRequest } from "@pawl/testing";
 *
 * const error = validateMessagesRequest({ model: "claude-sonnet-5-5", max_tokens: 100, messages: [] });
 * console.log(error?.message); // messages: at least one message is required
 * ```
 */
export function validateMessagesRequest(body: unknown, options: ValidateOptions = {}): ApiError | undefined {
  checkOptions("validateMessagesRequest()", options, VALIDATE);
  return judge(body, options);
}

/**
 * Validates like {@link validateMessagesRequest}, with a record of the answers that the simulator has paused.
 */
export function judge(body: unknown, options: ValidateOptions, paused?: PausedTurns): ApiError | undefined {
  const { models = currentModels, secret = defaultSecret, legacy = {} } = options;
  const error = checkText(body) ?? checkEnvelope(body, models);
  if (error !== undefined) return error;
  const request = body as ParsedRequest;
  const limits = limitsOf(request.model, models) as ModelLimits;
  return (
    checkTools(request, limits) ??
    checkContent(request) ??
    checkCacheControl(request) ??
    checkRoles(request, limits, legacy, paused) ??
    checkPairing(request, legacy) ??
    checkOutputFormat(request, paused) ??
    checkThinking(request, limits, secret) ??
    checkLength(request, limits)
  );
}

/** Refuses half a surrogate pair and endless levels: the API reads such a body as invalid JSON. */
function checkText(body: unknown): ApiError | undefined {
  if (isTooDeep(body)) return invalid("The request body is not valid JSON: recursion limit exceeded");
  const at = loneSurrogateIn(body);
  return at === -1
    ? undefined
    : invalid(
        `The request body is not valid JSON: no low surrogate in string: line 1 column ${at + 1} (char ${at})`,
      );
}

function checkLength(request: ParsedRequest, limits: ModelLimits): ApiError | undefined {
  const tokens = promptSize(request);
  return tokens > limits.contextTokens
    ? invalid(`prompt is too long: ${tokens} tokens > ${limits.contextTokens} maximum`)
    : undefined;
}
