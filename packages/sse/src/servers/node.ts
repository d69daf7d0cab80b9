import type { IncomingMessage, ServerResponse } from "node:http";
import { getRequestListener } from "@hono/node-server";

/**
 * A handler as a listener for `http.createServer`, or as Express middleware:
 * `app.use("/api/coach", nodeListener(…))`, then without `basePath`. A body that `express.json()` has read
 * before is taken from there.
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
 * A body can be read once. What a parser before us has made of it is put where the listener looks for one
 * that was read.
 */
function giveBack(incoming: IncomingMessage & { body?: unknown; rawBody?: unknown }): void {
  const { body, rawBody } = incoming;
  if (!incoming.readableDidRead || body === undefined || rawBody !== undefined) return;
  incoming.rawBody =
    Buffer.isBuffer(body) || typeof body === "string" ? Buffer.from(body) : Buffer.from(JSON.stringify(body));
}
