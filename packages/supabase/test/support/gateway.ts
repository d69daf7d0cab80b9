import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** What stands before the services of a project: paths, and keys that stand for roles. */
export interface GatewayOptions {
  /** Where `/rest/v1` is. */
  rest: () => string;
  jwks: object;
  /** A key of the project, to the token of its role. */
  keys: Readonly<Record<string, string>>;
}

export interface Gateway {
  url: string;
  /** How many requests were passed on, by their path below `/rest/v1`. */
  readonly passed: Map<string, number>;
  /** The next answer to this path is lost on its way: what was asked for has been done. */
  loseAnswer(path: string): void;
  /** The next request for this path is answered with this, and not passed on. */
  answerInstead(path: string, status: number, body: string): void;
  close(): Promise<void>;
}

/** Does what Supabase's gateway does, as far as supabase-js sees it. */
export async function gateway(options: GatewayOptions): Promise<Gateway> {
  const passed = new Map<string, number>();
  const lost = new Set<string>();
  const instead = new Map<string, { status: number; body: string }>();
  const server = createServer((request, response) => {
    const path = request.url?.replace(/\?.*/, "") ?? "";
    const below = path.replace("/rest/v1", "");
    if (path === "/auth/v1/.well-known/jwks.json") return json(response, 200, options.jwks);
    const role = options.keys[String(request.headers.apikey)];
    if (role === undefined) return json(response, 401, { message: "Invalid API key" });
    if (!path.startsWith("/rest/v1/")) return json(response, 404, { message: "no Route matched" });
    const made = instead.get(below);
    if (made !== undefined) {
      instead.delete(below);
      request.resume();
      return response.writeHead(made.status).end(made.body);
    }
    passed.set(below, (passed.get(below) ?? 0) + 1);
    passOn(request, role, options.rest())
      .then((answer) => {
        if (lost.delete(below)) return response.destroy();
        response.writeHead(answer.status, { "content-type": answer.type }).end(answer.body);
      })
      .catch(() => json(response, 502, { message: "upstream is gone" }));
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    passed,
    loseAnswer: (path) => lost.add(path),
    answerInstead: (path, status, body) => instead.set(path, { status, body }),
    close: async () => await close(server),
  };
}

/** Replaces a project's key with a token of its role. A user's token stays. */
async function passOn(request: IncomingMessage, role: string, rest: string) {
  const { apikey, authorization, prefer, accept } = request.headers;
  const own = authorization === undefined || authorization === `Bearer ${apikey}`;
  const headers = {
    "content-type": request.headers["content-type"] ?? "application/json",
    ...(accept === undefined ? {} : { accept }),
    ...(prefer === undefined ? {} : { prefer: String(prefer) }),
    authorization: own ? `Bearer ${role}` : authorization,
  };
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const bare = request.method === "GET" || request.method === "HEAD";
  const answer = await fetch(rest + String(request.url).replace("/rest/v1", ""), {
    method: request.method ?? "GET",
    headers,
    ...(bare ? {} : { body: Buffer.concat(chunks) }),
  });
  return {
    status: answer.status,
    type: answer.headers.get("content-type") ?? "application/json",
    body: Buffer.from(await answer.arrayBuffer()),
  };
}

function json(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
}

async function close(server: Server): Promise<void> {
  const closed = once(server, "close");
  server.close();
  server.closeAllConnections();
  await closed;
}
