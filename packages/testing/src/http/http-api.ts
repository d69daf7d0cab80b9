import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { Judge, Rejection, Wire } from "../base/wire.ts";
import { type RecordedRequest, sendError, serveRequest } from "./serve-request.ts";

/** Options of the simulated HTTP APIs. */
export interface HttpApiOptions {
  /** The port. Default, or 0: a free one. */
  port?: number;
  /** Default: `127.0.0.1`. */
  host?: string;
  /** The accepted keys. Default: any key that is not empty. */
  apiKeys?: readonly string[];
}

/** A running simulator. */
export interface HttpApi {
  readonly url: string;
  readonly port: number;
  /** Every request for an answer, in order. */
  readonly requests: RecordedRequest[];
  /** The requests that were refused as invalid; faults do not count. */
  readonly rejected: Rejection[];
  /** Ends all connections and stops listening. */
  close(): Promise<void>;
}

/** Starts a server that speaks `wire` and sends the answers of `core`. */
export async function httpApi<E>(
  wire: Wire<E>,
  core: Judge<E>,
  { port = 0, host = "127.0.0.1", apiKeys }: HttpApiOptions,
): Promise<HttpApi> {
  const requests: RecordedRequest[] = [];
  const server = createServer((request, response) => {
    serveRequest(request, response, { wire, core, requests, apiKeys }).catch((error: unknown) => {
      // A script or rule failed: an error of the test, so clients should not retry.
      const failure = wire.errorOf(500, { message: String(error) });
      sendError(response, wire, failure, wire.requestId(core.newId), { "x-should-retry": "false" });
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
