import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { getRequestListener } from "@hono/node-server";
import { onTestFinished } from "vitest";

type Serve = (request: Request) => Response | Promise<Response>;

/** Serves a handler over HTTP until the test ends, and returns its origin. */
export async function served(serve: Serve): Promise<string> {
  const server = createServer(getRequestListener(serve, { overrideGlobalObjects: false }));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Reads a response's JSON, whose type the test knows. */
// biome-ignore lint/suspicious/noExplicitAny: each test checks what it reads
export const jsonOf = async (response: Response): Promise<any> => await response.json();
