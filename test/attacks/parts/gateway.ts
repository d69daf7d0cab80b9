import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** One request, and the response to write. */
export interface Exchange<Body> {
  body: Body;
  /** The number of earlier requests. */
  n: number;
  request: IncomingMessage;
  response: ServerResponse;
}

/** A server over HTTP that plays another party's part, and the bodies that it was sent. */
export interface Gateway<Body> {
  readonly url: string;
  readonly bodies: Body[];
}

/** Starts a server, which ends with the process. `play` answers each request; bodies must be JSON or empty. */
export async function gateway<Body>(play: (exchange: Exchange<Body>) => unknown): Promise<Gateway<Body>> {
  const bodies: Body[] = [];
  const server = createServer(async (request, response) => {
    let text = "";
    for await (const part of request) text += part;
    const body = (text === "" ? undefined : JSON.parse(text)) as Body;
    bodies.push(body);
    await play({ body, n: bodies.length - 1, request, response });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, bodies };
}

/** Ends a response with a JSON body. */
export function sendJson(response: ServerResponse, status: number, body: unknown, headers = {}): void {
  response.writeHead(status, { "content-type": "application/json", ...headers }).end(JSON.stringify(body));
}
