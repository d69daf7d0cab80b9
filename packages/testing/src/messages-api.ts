import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { errorOfStatus } from "./api-error.ts";
import { type RecordedRequest, sendError, serveRequest } from "./serve-request.ts";
import { type Rejection, type SimulatorOptions, simulator } from "./simulator.ts";

export interface MessagesApiOptions extends SimulatorOptions {
  /** A free one when 0 or absent. */
  port?: number;
  /** `127.0.0.1` when absent. */
  host?: string;
  /** The keys that are accepted; any non-empty key when absent. */
  apiKeys?: readonly string[];
}

/** A running simulator. */
export interface MessagesApi {
  /** To be used as the SDK's `baseURL`. */
  readonly url: string;
  readonly port: number;
  /** Every request to `/v1/messages`, in order. */
  readonly requests: RecordedRequest[];
  /** The requests it refused because they were invalid; faults do not count. */
  readonly rejected: Rejection[];
  /** Ends all connections and stops listening. */
  close(): Promise<void>;
}

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
  const { port = 0, host = "127.0.0.1" } = options;
  const core = simulator(options);
  const requests: RecordedRequest[] = [];
  const server = createServer((request, response) => {
    serveRequest(request, response, { core, requests, apiKeys: options.apiKeys }).catch((error: unknown) => {
      // A script or rule failed: an error of the test, so nobody should try again.
      sendError(response, errorOfStatus(500, { message: String(error) }), core.newId("req_01"), {
        "x-should-retry": "false",
      });
    });
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, resolve);
  });
  const bound = (server.address() as AddressInfo).port;
  return {
    url: `http://${host}:${bound}`,
    port: bound,
    requests,
    rejected: core.rejected,
    close: () => closeServer(server),
  };
}

function closeServer(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}
