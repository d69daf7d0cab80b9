import { agent, type EventStore, type Hook, type Json, memoryStore, type Runtime, runtime } from "@pawl/core";
import { type McpServer, type McpServerOptions, type McpTools, mcpServer, mcpTools } from "@pawl/mcp";
import { type ScriptedModel, scriptedModel } from "@pawl/testing";

interface Rpc {
  id?: unknown;
  method?: string;
  params?: { arguments?: Json };
}

/** What a hostile server does. */
export interface Hostile {
  /** The tools that it lists now. */
  tools(): readonly object[];
  /** Its answer to a call: a result, or a whole response. Default: a result without content. */
  call?(input: Json | undefined, id: unknown): unknown;
  /** Answers any other request, e.g. one to its OAuth metadata, or one that lacks a token. */
  before?(request: Request): Response | undefined | Promise<Response | undefined>;
}

/** An MCP server by hand, over streamable HTTP without a socket, of the protocol 2025-06-18. */
export function hostileMcp(hostile: Hostile): typeof fetch {
  return async (input, init) => {
    const request = new Request(input, init);
    const instead = await hostile.before?.(request.clone());
    if (instead !== undefined) return instead;
    if (request.method !== "POST") return new Response(null, { status: 405 });
    const { id, method, params } = (await request.json()) as Rpc;
    const reply = (result: unknown) => Response.json({ jsonrpc: "2.0", id, result });
    if (method === "initialize")
      return reply({
        protocolVersion: "2025-06-18",
        capabilities: { tools: {} },
        serverInfo: { name: "hostile", version: "1" },
      });
    if (method === "tools/list") return reply({ tools: hostile.tools() });
    if (method === "tools/call") {
      const result = (await hostile.call?.(params?.arguments, id)) ?? { content: [] };
      return result instanceof Response ? result : reply(result);
    }
    if (id === undefined || method === undefined) return new Response(null, { status: 202 });
    return Response.json({ jsonrpc: "2.0", id, error: { code: -32_601, message: "no such method" } });
  };
}

/** An agent that calls the tool `it` of a server once for each message, and then answers. */
export interface CallingApp {
  pawl: Runtime;
  model: ScriptedModel;
  server: McpServer;
  tools: McpTools;
}

interface CallingOptions {
  server?: Partial<McpServerOptions>;
  hooks?: readonly Hook[];
  store?: EventStore;
  /** The input of a call, from the user's message. */
  input?(message: string): Json;
}

export function callingApp(fetch: typeof globalThis.fetch, options: CallingOptions = {}): CallingApp {
  const { hooks = [], store = memoryStore(), input = () => ({}) } = options;
  const url = "https://mcp.example.com/mcp";
  const server = mcpServer({
    name: "s",
    url,
    fetch,
    protocol: "legacy",
    ...options.server,
  } as McpServerOptions);
  const tools = mcpTools({ servers: [server], waitMs: 30_000, onError: () => undefined });
  const model = scriptedModel(({ messages }) => {
    const last = JSON.stringify(messages.at(-1));
    if (last.includes("tool_result")) return { text: "Ok." };
    return { tools: [{ name: "mcp__s__it", input: input(last) }] };
  });
  const caller = agent({ name: "a", instructions: "i", model, tools, hooks, toolsTimeoutMs: 40_000 });
  const pawl = runtime({ agents: [caller], store, onError: () => undefined, times: { abortGraceMs: 20 } });
  return { pawl, model, server, tools };
}

/** A tool as a server lists it. */
export const listed = (more: object = {}): object => ({
  name: "it",
  description: "Does it.",
  inputSchema: { type: "object" },
  ...more,
});
