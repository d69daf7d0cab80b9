import { once } from "node:events";
import { createServer, type Http2Server, type ServerHttp2Session } from "node:http2";
import type { AddressInfo } from "node:net";
import * as restate from "@restatedev/restate-sdk";
import type { ObjectDefinition } from "./objects.ts";
import type { RestateEngineOptions } from "./options.ts";

/** How long open requests may take once the endpoint is being closed, in milliseconds. */
const CLOSE_MS = 5_000;

/** A server that Restate calls. */
export interface Endpoint {
  /** Listens, unless it does so already. Resolves to the URL on this machine. */
  open(): Promise<string>;
  /** Takes no more requests, and resolves once those are over that it has. */
  close(): Promise<void>;
}

/** Makes a server for the virtual objects. It listens once it is opened. */
export function makeEndpoint(
  services: ObjectDefinition[],
  options: Pick<RestateEngineOptions, "identityKeys" | "host"> & {
    port: number;
    onError(error: unknown): void;
  },
): Endpoint {
  const { host = "127.0.0.1", identityKeys, onError } = options;
  let { port } = options;
  const handler = restate.createEndpointHandler({
    services,
    ...(identityKeys !== undefined && { identityKeys: [...identityKeys] }),
    logger: ({ level, context }, ...said) => {
      // The SDK exports the type of levels only.
      if (`${level}` !== "error") return;
      onError(
        new Error(`Restate${context ? ` (${context.invocationTarget})` : ""}: ${said.map(String).join(" ")}`),
      );
    },
  });
  let opened: Promise<{ server: Http2Server; sessions: Set<ServerHttp2Session> }> | undefined;
  const listen = async () => {
    const server = createServer(handler);
    const sessions = new Set<ServerHttp2Session>();
    server.on("session", (session) => {
      sessions.add(session);
      session.once("close", () => sessions.delete(session));
    });
    server.listen(port, host);
    await once(server, "listening");
    // If it is opened again, Restate looks for it here.
    ({ port } = server.address() as AddressInfo);
    return { server, sessions };
  };
  return {
    open: async () => {
      opened ??= listen();
      try {
        await opened;
      } catch (error) {
        opened = undefined;
        throw error;
      }
      return `http://${host.includes(":") ? `[${host}]` : host}:${port}`;
    },
    close: async () => {
      const closing = opened;
      opened = undefined;
      if (closing === undefined) return;
      const { server, sessions } = await closing;
      const closed = once(server, "close");
      server.close();
      for (const session of sessions) session.close();
      const timer = setTimeout(() => {
        for (const session of sessions) session.destroy();
      }, CLOSE_MS);
      await closed;
      clearTimeout(timer);
    },
  };
}
