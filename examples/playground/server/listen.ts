import type { Server } from "node:http";
import { createAdaptorServer } from "@hono/node-server";
import type { Hono } from "hono";

/** A running server. */
export interface Listening {
  /** The page's URL on this machine. */
  url: string;
  /** Accepts no new connections. In-flight requests continue. */
  stopAccepting(): void;
  /** Closes all connections, including open streams. */
  close(): Promise<void>;
}

/**
 * Serves the app at an address.
 *
 * @throws Error with one line if the server cannot listen on the address.
 */
export async function listen(app: Hono, { host, port }: { host: string; port: number }): Promise<Listening> {
  const server = createAdaptorServer({ fetch: app.fetch }) as Server;
  await new Promise<void>((resolve, reject) => {
    server.once("error", (error: NodeJS.ErrnoException) => reject(new Error(whyNot(error, host, port))));
    server.listen(port, host, resolve);
  });
  const address = server.address();
  const bound = typeof address === "object" && address !== null ? address.port : port;
  const closed = new Promise<void>((resolve) => server.once("close", () => resolve()));
  return {
    url: `http://${nameOf(host)}:${bound}`,
    stopAccepting: () => void server.close(),
    close: async () => {
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

function nameOf(host: string): string {
  const everywhere = ["127.0.0.1", "::1", "0.0.0.0", "::"].includes(host);
  if (everywhere) return "localhost";
  return host.includes(":") ? `[${host}]` : host;
}

function whyNot({ code, message }: NodeJS.ErrnoException, host: string, port: number): string {
  if (code === "EADDRINUSE") return `Port ${port} is taken. Set PORT to another one, e.g. PORT=${port + 1}.`;
  if (code === "EACCES") return `Port ${port} is not allowed. Set PORT to one above 1023.`;
  if (code === "ENOTFOUND" || code === "EADDRNOTAVAIL")
    return `HOST=${host} is not an address of this machine.`;
  return `The server cannot listen on ${host}:${port}: ${message}`;
}
