import type { IncomingMessage, ServerResponse } from "node:http";
import { getRequestListener } from "@hono/node-server";
import { checkServe } from "./check-serve.ts";

/**
 * Returns a listener for `http.createServer` that serves a handler. In Express 5, mount it with
 * `app.all("/api/coach/*path", nodeListener(serve))`. The handler's `basePath` is the whole path, e.g.
 * `/api/coach`, also in a router or with `app.use()`, which remove a part of the path from the request. A
 * body that `express.json()` has read is used directly.
 *
 * @example
 * ```ts
 * import { createServer } from "node:http";
 * import { nodeListener } from "@pawl/sse/node";
 *
 * const server = createServer(nodeListener(async (request) => Response.json({ url: request.url })));
 * server.listen(0, () => server.close());
 * ```
 */
export function nodeListener(
  serve: (request: Request) => Response | Promise<Response>,
): (incoming: IncomingMessage, outgoing: ServerResponse) => Promise<void> {
  checkServe("nodeListener()", serve, "mount nodeListener(serve), not nodeListener");
  const listen = getRequestListener((request) => serve(request), {
    overrideGlobalObjects: false,
    // HTTP/1.0 has no `host`, and load balancers check health with it. Node refuses HTTP/1.1 without one.
    hostname: "localhost",
  });
  return (incoming, outgoing) => {
    restorePath(incoming);
    giveBack(incoming);
    return listen(incoming, outgoing);
  };
}

/** Restores a request's full path. Express removes the part at which a router is mounted. */
function restorePath(incoming: IncomingMessage & { originalUrl?: unknown }): void {
  if (typeof incoming.originalUrl === "string") incoming.url = incoming.originalUrl;
}

/**
 * Restores a body that a parser has already read. Puts it into `rawBody`, where `getRequestListener` finds
 * it. The parser has also undone a content coding.
 */
function giveBack(incoming: IncomingMessage & { body?: unknown; rawBody?: unknown }): void {
  const { body, rawBody } = incoming;
  if (!incoming.readableDidRead || body === undefined || rawBody !== undefined) return;
  incoming.rawBody =
    Buffer.isBuffer(body) || typeof body === "string" ? Buffer.from(body) : Buffer.from(JSON.stringify(body));
  delete incoming.headers["content-encoding"];
  incoming.rawHeaders = withoutCoding(incoming.rawHeaders);
}

/** @param raw names and values in alternation */
function withoutCoding(raw: readonly string[]): string[] {
  const isCoding = (at: number) => raw[at]?.toLowerCase() === "content-encoding";
  return raw.filter((_, at) => !isCoding(at - (at % 2)));
}
