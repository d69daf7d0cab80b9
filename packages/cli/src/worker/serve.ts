import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { messageOf, PawlError, type Runtime } from "@pawl/core";
import { health } from "@pawl/sse";
import { nodeListener } from "@pawl/sse/node";
import type { ServeMetrics } from "./prometheus.ts";

/** A server for orchestrators. */
export interface HealthServer {
  /** The port that it listens on. */
  port: number;
  close(): Promise<void>;
}

/** Where to listen. */
export interface ListenOptions {
  /** The port; 0 chooses any free one. */
  port: number;
  /** The host; `undefined` for all interfaces. */
  host: string | undefined;
}

/** Returns the paths of a worker's server. */
export function pathsOf(serveMetrics: ServeMetrics | undefined): string[] {
  return ["/livez", "/readyz", ...(serveMetrics === undefined ? [] : ["/metrics"])];
}

/** Serves the health of a process, and its metrics if it has any. Rejects if the port is taken. */
export async function serveHealth(
  runtime: Pick<Runtime, "recover">,
  serveMetrics: ServeMetrics | undefined,
  { port, host }: ListenOptions,
): Promise<HealthServer> {
  const paths = pathsOf(serveMetrics);
  const checks = nodeListener(health({ runtime }));
  const server = createServer((request, response) => {
    const { method = "", url = "" } = request;
    const path = pathIn(url);
    if (!paths.includes(path)) refuse(response, `No such path: ${method} ${path}.`, paths);
    else if (path !== "/metrics") void checks(request, response);
    else if (method === "GET" || method === "HEAD") serveMetrics?.(request, response);
    else refuseMethod(response);
  });
  server.listen({ port, ...(host !== undefined && { host }) });
  await once(server, "listening").catch((error: unknown) => {
    throw new PawlError(
      "config",
      `The port ${port} cannot be used: ${messageOf(error)}. Choose another --port.`,
    );
  });
  return {
    port: (server.address() as AddressInfo).port,
    close: async () => {
      server.close();
      server.closeAllConnections();
      await once(server, "close");
    },
  };
}

/** Returns the path of a request's target. Clients of a proxy send a whole URL. */
function pathIn(target: string): string {
  if (!/^https?:/i.test(target)) return target.split("?")[0] ?? "";
  return URL.canParse(target) ? new URL(target).pathname : target;
}

function refuseMethod(response: ServerResponse): void {
  const allow = "GET, HEAD";
  const error = { code: "method_not_allowed", message: `This path accepts ${allow} only.` };
  response.writeHead(405, { "content-type": "application/json", allow }).end(JSON.stringify({ error }));
}

function refuse(response: ServerResponse, problem: string, paths: readonly string[]): void {
  const served = `${paths.slice(0, -1).join(", ")} and ${paths.at(-1)}`;
  const error = { code: "not_found", message: `${problem} This worker serves ${served}.` };
  response.writeHead(404, { "content-type": "application/json" }).end(JSON.stringify({ error }));
}
