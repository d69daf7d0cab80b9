import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";

/** A request on its way through the proxy. */
export interface Passing {
  method: string;
  path: string;
  authorization: string;
  body: string;
  /** Asks the server, also with something else than what came. */
  send(changed?: { body?: string; authorization?: string }): Promise<Answered>;
  /** The response, for answers that `send()` cannot give. */
  response: ServerResponse;
}

interface Answered {
  status: number;
  text: string;
}

/** What becomes of a request: an answer to pass on, or `undefined` if it is answered already, or never. */
export type Act = (passing: Passing) => Promise<Answered | undefined>;

/**
 * Stands before a server until the test ends, or until what `atEnd` gets is called. A request whose `act`
 * throws is cut off. Returns its origin.
 */
export async function proxy(
  target: string,
  act: Act,
  atEnd: (end: () => void) => unknown = onTestFinished,
): Promise<string> {
  const server = createServer(async (request, response) => {
    try {
      const { method = "GET", url: path = "", headers } = request;
      const body = Buffer.concat(await Array.fromAsync(request)).toString();
      const { authorization = "" } = headers;
      const key = headers["idempotency-key"];
      const send: Passing["send"] = async (changed = {}) => {
        const answer = await fetch(`${target}${path}`, {
          method,
          headers: {
            authorization: changed.authorization ?? authorization,
            "content-type": "application/json",
            ...(typeof key === "string" && { "idempotency-key": key }),
          },
          ...(method === "POST" && { body: changed.body ?? body }),
        });
        return { status: answer.status, text: await answer.text() };
      };
      const answer = await act({ method, path, authorization, body, send, response });
      if (answer === undefined) return;
      response.writeHead(answer.status, { "content-type": "application/json" }).end(answer.text);
    } catch {
      request.socket.destroy();
    }
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  atEnd(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
