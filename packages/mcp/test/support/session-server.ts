import { once } from "node:events";
import { realpathSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { createRequire } from "node:module";
import type { AddressInfo } from "node:net";
import { pathToFileURL } from "node:url";
import { reference } from "./servers.ts";

/** A server of the older SDK. */
export interface OldServer {
  setRequestHandler(schema: unknown, handler: (request: Request, extra: Extra) => unknown): void;
  connect(transport: unknown): Promise<void>;
  elicitInput(params: object, options?: object): Promise<unknown>;
  ping(): Promise<unknown>;
  sendLoggingMessage(params: object): Promise<void>;
}

interface Request {
  params: { name: string };
}

/** What a handler gets: `sendRequest` asks in the stream of the call. */
interface Extra {
  sendRequest(request: object, schema: unknown): Promise<unknown>;
}

interface Transport {
  sessionId?: string;
  handleRequest(request: IncomingMessage, response: ServerResponse, body?: unknown): Promise<void>;
}

// The SDK of version 1, with which the reference servers are built.
const resolve = createRequire(realpathSync(reference("everything")));
const load = async (name: string) =>
  await import(pathToFileURL(resolve.resolve(`@modelcontextprotocol/sdk/${name}.js`)).href);

/** A server over HTTP that keeps a session for each client, and what it was sent. */
export interface SessionServer {
  url: string;
  /** The methods of HTTP requests and of their messages, in order. */
  readonly seen: string[];
  /** The number of streams that are open now. */
  streams(): number;
  close(): void;
}

/** Answers a request in place of the server. Returns whether it has. */
export type Before = (request: IncomingMessage, response: ServerResponse, seen: string[]) => boolean;

/** Starts a server of the older SDK. `call` answers calls of its only tool, `it`. */
export async function startSessionServer(
  call: (server: OldServer, extra: Extra) => Promise<string>,
  before: Before = () => false,
): Promise<SessionServer> {
  const { Server } = await load("server/index");
  const { StreamableHTTPServerTransport } = await load("server/streamableHttp");
  const { CallToolRequestSchema, ListToolsRequestSchema } = await load("types");
  const sessions = new Map<string, Transport>();
  const seen: string[] = [];
  const streams = new Set<ServerResponse>();

  async function begin(): Promise<Transport> {
    const server: OldServer = new Server(
      { name: "old", version: "1" },
      { capabilities: { tools: {}, logging: {} } },
    );
    const tools = [{ name: "it", inputSchema: { type: "object" } }];
    server.setRequestHandler(ListToolsRequestSchema, () => ({ tools }));
    server.setRequestHandler(CallToolRequestSchema, async (_, extra) => ({
      content: [{ type: "text", text: await call(server, extra) }],
    }));
    const transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: () => crypto.randomUUID(),
      onsessioninitialized: (id: string) => void sessions.set(id, transport),
    });
    await server.connect(transport);
    return transport;
  }

  const http = createServer(async (request, response) => {
    const text = Buffer.concat(await Array.fromAsync(request)).toString();
    const body = text === "" ? undefined : JSON.parse(text);
    seen.push(`${request.method} ${body?.method ?? (body === undefined ? "" : "answer")}`.trim());
    if (request.method === "GET") {
      streams.add(response);
      response.on("close", () => streams.delete(response));
    }
    if (before(request, response, seen)) return;
    const known = sessions.get(String(request.headers["mcp-session-id"]));
    if (known === undefined && body?.method !== "initialize") {
      response
        .writeHead(404)
        .end('{"jsonrpc":"2.0","id":null,"error":{"code":-32001,"message":"Session not found"}}');
      return;
    }
    await (known ?? (await begin())).handleRequest(request, response, body);
  }).listen(0, "127.0.0.1");
  await once(http, "listening");
  return {
    url: `http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`,
    seen,
    streams: () => streams.size,
    close: () => {
      http.close();
      http.closeAllConnections();
    },
  };
}
