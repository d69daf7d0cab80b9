import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { OptionKinds } from "@pawl/core";
import type { Judge, Rejection, Wire } from "../base/wire.ts";
import { type RecordedRequest, sendError, serveRequest } from "./serve-request.ts";

/** Options of `messagesApi()` and `openaiApi()` as HTTP servers. */
export interface HttpApiOptions {
  /** The port to listen on. Default: 0, which picks a free one. */
  port?: number;
  /** The host to listen on. Default: `127.0.0.1`. */
  host?: string;
  /** The API keys that are accepted. Default: any key that is not empty. */
  apiKeys?: readonly string[];
}

export const HTTP: OptionKinds<HttpApiOptions> = { port: "number", host: "string", apiKeys: "list" };

/** A simulated API that is running as an HTTP server. */
export interface HttpApi {
  /** The base URL to give to the API's SDK. */
  readonly url: string;
  /** The port on which it listens. */
  readonly port: number;
  /** All requests for an answer so far, in order. */
  readonly requests: RecordedRequest[];
  /** The requests that were refused as invalid. Scripted faults are not included. */
  readonly rejected: Rejection[];
  /** Closes all connections and stops listening. */
  close(): Promise<void>;
}

/** How long an unused connection stays open, in milliseconds. */
// After Node's five seconds, a process that was busy for longer sends its next request on a connection that
// its own server is about to close.
const KEEP_ALIVE_MS = 65_000;

/** Starts a server that speaks the API `wire` and sends the answers of `core`. */
export async function httpApi<E>(
  wire: Wire<E>,
  core: Judge<E>,
  { port = 0, host = "127.0.0.1", apiKeys }: HttpApiOptions,
): Promise<HttpApi> {
  const requests: RecordedRequest[] = [];
  const server = createServer((request, response) => {
    serveRequest(request, response, { wire, core, requests, apiKeys }).catch((error: unknown) => {
      // A script or rule failed. This is an error of the test, so clients should not retry.
      const failure = wire.errorOf(500, { message: String(error) });
      sendError(response, wire, failure, wire.requestId(core.newId), { "x-should-retry": "false" });
    });
  });
  server.keepAliveTimeout = KEEP_ALIVE_MS;
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
