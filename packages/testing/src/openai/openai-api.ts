import { type HttpApi, type HttpApiOptions, httpApi } from "../http/http-api.ts";
import { type ChatSimulatorOptions, chatSimulator } from "./chat-simulator.ts";
import { chatWire } from "./chat-wire.ts";

/** Options of `openaiApi()`. */
export interface OpenAIApiOptions extends ChatSimulatorOptions, HttpApiOptions {}

/**
 * Starts a server that answers `POST /v1/chat/completions` as OpenAI does, as JSON and as a stream, and
 * refuses what OpenAI refuses. What it says comes from `script` or `rules`. Its `url` ends in `/v1`, to be
 * used as the SDK's `baseURL`. Of a reply thinking is left out, as this API shows none; `stop: "refusal"`
 * makes its text a refusal.
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
  const api = await httpApi(chatWire, chatSimulator(options), options);
  return { ...api, url: `${api.url}/v1` };
}
