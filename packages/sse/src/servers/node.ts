import type { IncomingMessage, ServerResponse } from "node:http";
import { getRequestListener } from "@hono/node-server";

/**
 * Makes a listener for `http.createServer` from a handler, or Express middleware:
 * `app.use("/api/coach", nodeListener(…))`, then without `basePath`. If `express.json()` has already read the
 * body, its result is used.
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
  const listen = getRequestListener((request) => serve(request), { overrideGlobalObjects: false });
  return (incoming, outgoing) => {
    giveBack(incoming);
    return listen(incoming, outgoing);
  };
}

/**
 * Restores a body that a parser has already read: it can be read only once. Puts it into `rawBody`, where the
 * listener looks for it.
 */
function giveBack(incoming: IncomingMessage & { body?: unknown; rawBody?: unknown }): void {
  const { body, rawBody } = incoming;
  if (!incoming.readableDidRead || body === undefined || rawBody !== undefined) return;
  incoming.rawBody =
    Buffer.isBuffer(body) || typeof body === "string" ? Buffer.from(body) : Buffer.from(JSON.stringify(body));
}
