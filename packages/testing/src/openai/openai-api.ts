import type { OptionKinds } from "@pawl/core";
import { checkSimulated, SCRIPTED } from "../base/option-kinds.ts";
import { HTTP, type HttpApi, type HttpApiOptions, httpApi } from "../http/http-api.ts";
import { type ChatSimulatorOptions, chatSimulator } from "./chat-simulator.ts";
import { chatWire } from "./chat-wire.ts";

/** Options of `openaiApi()`. */
export interface OpenAIApiOptions extends ChatSimulatorOptions, HttpApiOptions {}

const OPTIONS: OptionKinds<OpenAIApiOptions> = { ...SCRIPTED, ...HTTP };

/**
 * Starts an HTTP server that simulates OpenAI's Chat Completions: `POST /v1/chat/completions`, as JSON and as
 * a stream. Validates requests as OpenAI does. The answers come from `script` or `rules`. Use the server's
 * `url`, which ends in `/v1`, as the SDK's `baseURL`. The thinking of a reply is not sent, and `stop:
 * "refusal"` makes its text a refusal.
 *
 * @throws PawlError `config` for unknown and invalid options and replies.
 *
 * @example
 * ```ts
 * import { openaiApi } from "@pawl/testing";
 *
 * const api = await openaiApi({ script: [{ text: "Hello." }] });
 * const response = await fetch(`${api.url}/chat/completions`, {
 *   method: "POST",
 *   headers: { authorization: "Bearer any", "content-type": "application/json" },
 *   body: JSON.stringify({ model: "gpt-5.4-mini", messages: [{ role: "user", content: "Hi" }] }),
 * });
 * console.log(response.status, await response.text()); // 200 {"id":"chatcmpl-…
 * await api.close();
 * ```
 */
export async function openaiApi(options: OpenAIApiOptions = {}): Promise<HttpApi> {
  checkSimulated("openaiApi()", options, OPTIONS);
  const api = await httpApi(chatWire, chatSimulator("openaiApi()", options), options);
  return { ...api, url: `${api.url}/v1` };
}
