import type { OptionKinds } from "@pawl/core";
import { checkSimulated, SCRIPTED } from "../base/option-kinds.ts";
import { HTTP, type HttpApi, type HttpApiOptions, httpApi } from "../http/http-api.ts";
import { messagesWire } from "./messages-wire.ts";
import { type SimulatorOptions, simulator } from "./simulator.ts";
import { VALIDATE } from "./validate/validate.ts";

/** Options of `messagesApi()`. */
export interface MessagesApiOptions extends SimulatorOptions, HttpApiOptions {}

const OPTIONS: OptionKinds<MessagesApiOptions> = { ...VALIDATE, ...SCRIPTED, ...HTTP };

/**
 * The Messages API, simulated by a running HTTP server. Use its `url` as the SDK's `baseURL`. `requests` has
 * the requests to `/v1/messages`.
 */
export type MessagesApi = HttpApi;

/**
 * Starts an HTTP server that simulates the Messages API: `POST /v1/messages`, as JSON and as a stream.
 * Validates requests as the API does, and responds with its error messages. The answers come from `script` or
 * `rules`.
 *
 * @throws PawlError `config` for unknown and invalid options and replies.
 *
 * @example
 * ```ts
 * import { claude } from "@pawl/anthropic";
 * import { agent, memoryStore, runtime } from "@pawl/core";
 * import { messagesApi } from "@pawl/testing";
 *
 * const api = await messagesApi({ script: [{ text: "Hello." }] });
 * const model = claude("claude-sonnet-5-5", { baseURL: api.url, apiKey: "any" });
 * const greeter = agent({ name: "greeter", model, instructions: "Say hello." });
 * const pawl = runtime({ agents: [greeter], store: memoryStore() });
 * const { text } = await pawl.run("greeter", { userId: "ada", input: "Hi" }).result;
 * console.log(text, api.requests.length, api.rejected); // Hello. 1 []
 * await api.close();
 * ```
 */
export async function messagesApi(options: MessagesApiOptions = {}): Promise<MessagesApi> {
  checkSimulated("messagesApi()", options, OPTIONS);
  return await httpApi(messagesWire, simulator("messagesApi()", options), options);
}
