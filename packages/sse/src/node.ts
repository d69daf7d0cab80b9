import type { IncomingMessage, ServerResponse } from "node:http";
import { getRequestListener } from "@hono/node-server";

/**
 * A handler as a listener for `http.createServer`, or as Express middleware: `app.use("/api/coach", nodeListener(…))`,
 * then without `basePath`, and before anything that reads bodies.
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
  return getRequestListener((request) => serve(request), { overrideGlobalObjects: false });
}
