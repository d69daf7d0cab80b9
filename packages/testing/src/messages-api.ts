import { type HttpApi, type HttpApiOptions, httpApi } from "./http-api.ts";
import { messagesWire } from "./messages-wire.ts";
import { type SimulatorOptions, simulator } from "./simulator.ts";

export interface MessagesApiOptions extends SimulatorOptions, HttpApiOptions {}

/** A running simulator; its `url` is to be used as the SDK's `baseURL`, and `requests` are those to `/v1/messages`. */
export type MessagesApi = HttpApi;

/**
 * Starts a server that answers `POST /v1/messages` as the Messages API does, as JSON and as a stream, and refuses what the
 * API refuses, in its words. What it says comes from `script` or `rules`.
 *
 * @example
 * ```ts
 * import { messagesApi } from "@pawl/testing";
 *
 * const api = await messagesApi({ script: [{ text: "Hello." }] });
 * const response = await fetch(`${api.url}/v1/messages`, {
 *   method: "POST",
 *   headers: { authorization: "Bearer any", "anthropic-version": "2026-10-21", "content-type": "application/json" },
 *   body: JSON.stringify({
 *     model: "claude-sonnet-5-5",
 *     max_tokens: 100,
 *     messages: [{ role: "user", content: "Hi" }],
 *   }),
 * });
 * console.log(response.status, await response.text()); // 200 {"model":"claude-sonnet-5-5", …
 * await api.close();
 * ```
 */
export async function messagesApi(options: MessagesApiOptions = {}): Promise<MessagesApi> {
  return await httpApi(messagesWire, simulator(options), options);
}
