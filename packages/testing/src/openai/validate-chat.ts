import type { ApiError } from "../base/api-error.ts";
import { loneSurrogateIn } from "../base/lone-surrogate.ts";
import { isTooDeep } from "../base/too-deep.ts";
import { checkEnvelope } from "./chat-envelope.ts";
import { checkFormat } from "./chat-format.ts";
import { checkModel } from "./chat-models.ts";
import { checkPairing } from "./chat-pairing.ts";
import type { ChatRequest } from "./chat-request.ts";
import { checkTools } from "./chat-tools.ts";
import { chatWire } from "./chat-wire.ts";

/**
 * Validates the body of a chat request as strictly as OpenAI does. Returns OpenAI's first error, or
 * `undefined` for a valid request. Checks in this order: fields, tools, calls and their results, rules of the
 * model.
 *
 * @param body the parsed JSON body, of any shape
 *
 * @example
 * ```ts
 * import { validateChatRequest } from "@pawl/testing";
 *
 * const error = validateChatRequest({ model: "gpt-5.4-mini" });
 * console.log(error?.message); // Missing required parameter: 'messages'.
 * ```
 */
export function validateChatRequest(body: unknown): ApiError | undefined {
  if (isTooDeep(body) || loneSurrogateIn(body) !== -1) return chatWire.notJson;
  const error = checkEnvelope(body);
  if (error !== undefined) return error;
  const request = body as ChatRequest;
  return checkTools(request) ?? checkFormat(request) ?? checkPairing(request.messages) ?? checkModel(request);
}
