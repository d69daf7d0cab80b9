import { once } from "node:events";
import { createServer, type Http2Server, type ServerHttp2Session, type ServerHttp2Stream } from "node:http2";
import type { AddressInfo } from "node:net";
import { messageOf, PawlError } from "@pawl/core";
import * as restate from "@restatedev/restate-sdk";
import type { ObjectDefinition } from "./objects.ts";
import type { RestateEngineOptions } from "./options.ts";

/** How long the endpoint waits for a moment without requests before it is closed, in milliseconds. */
const IDLE_MS = 1_000;

/** How long requests may take after that, in milliseconds. */
const CLOSE_MS = 2_000;

/** What the SDK says when Restate takes a call back, or has died. The call is aborted, and made again. */
const CONNECTION_LOST = /^Got abort error from connection/;

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
      const message = said.map(String).join(" ");
      // The SDK exports the type of levels only.
      if (`${level}` !== "error" || CONNECTION_LOST.test(message)) return;
      onError(new Error(`Restate${context ? ` (${context.invocationTarget})` : ""}: ${message}`));
    },
  });
  let opened: Promise<Listening> | undefined;
  const listen = async (): Promise<Listening> => {
    const server = createServer(handler);
    const sessions = held<ServerHttp2Session>();
    const streams = held<ServerHttp2Stream>();
    server.on("session", sessions.hold);
    server.on("stream", streams.hold);
    server.listen(port, host);
    await once(server, "listening").catch((cause: unknown) => {
      throw new PawlError(
        "config",
        `\`port\` ${port} of restateEngine() cannot be used: ${messageOf(cause)}. Choose another one.`,
        { cause },
      );
    });
    // If it is opened again, Restate looks for it here.
    ({ port } = server.address() as AddressInfo);
    return { server, sessions, streams };
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
      const { server, sessions, streams } = await closing;
      const closed = once(server, "close");
      server.close();
      // Restate drops a connection that is being closed, with all its requests, and repeats these.
      await within(IDLE_MS, streams.empty());
      for (const session of sessions.all) session.close();
      await within(CLOSE_MS, closed);
      for (const session of sessions.all) session.destroy();
    },
  };
}

interface Listening {
  server: Http2Server;
  sessions: Held<ServerHttp2Session>;
  streams: Held<ServerHttp2Stream>;
}

/** Connections or requests that are open. */
interface Held<Item> {
  readonly all: ReadonlySet<Item>;
  hold(item: Item): void;
  /** Resolves once none is open. */
  empty(): Promise<void>;
}

function held<Item extends ServerHttp2Session | ServerHttp2Stream>(): Held<Item> {
  const all = new Set<Item>();
  const waiting = new Set<() => void>();
  const settle = () => {
    if (all.size > 0) return;
    for (const resolve of waiting) resolve();
    waiting.clear();
  };
  return {
    all,
    hold: (item) => {
      all.add(item);
      item.once("close", () => {
        all.delete(item);
        settle();
      });
    },
    empty: async () => {
      const { promise, resolve } = Promise.withResolvers<void>();
      waiting.add(resolve);
      settle();
      await promise;
    },
  };
}

/** Waits for something, for at most `ms` milliseconds. */
async function within(ms: number, work: Promise<unknown>): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, ms);
  await Promise.race([work, promise]);
  clearTimeout(timer);
}
