import { type AgentOptions, agent, memoryStore, PawlError, runtime } from "@pawl/core";
import { mcpServer, mcpTools } from "@pawl/mcp";
import { remoteTools } from "@pawl/remote";
import { type Reply, scriptedModel } from "@pawl/testing";
import { type Door, type Opened, refused, TAKEN } from "./door.ts";

/** What a server answers, as JSON with the value in it. */
interface Answers {
  list?(json: string): string;
  call?(json: string): string;
}

/** Returns an error by which the library refuses. Any other error fails the test. */
function typedError(error: unknown): PawlError {
  if (error instanceof PawlError) return error;
  throw error;
}

/** Runs a message through an agent that calls the tool `name`. What its call fails with is the refusal. */
function calling(
  tools: AgentOptions<unknown>["tools"] & {},
  name: string,
  use: (json: string) => void,
): Opened {
  const errors: unknown[] = [];
  const model = scriptedModel(({ messages, tools: offered }): Reply => {
    const isOffered = offered.some((one) => "name" in one && one.name === name);
    const isAnswered = JSON.stringify(messages.at(-1)).includes("tool_result");
    return isOffered && !isAnswered ? { tools: [{ name, input: {} }] } : { text: "Ok." };
  });
  const clerk = agent({ name: "a", instructions: "i", model, tools });
  const pawl = runtime({ agents: [clerk], store: memoryStore(), onError: (error) => errors.push(error) });
  return {
    errors,
    knock: async (json) => {
      use(json);
      const ended = await pawl.run("a", { userId: "u", input: "Go" }).result.catch(typedError);
      if (ended instanceof PawlError) return refused(PawlError.describe(ended));
      const { actions, stop } = ended;
      const failed = actions.filter(({ success }) => !success);
      if (stop.type === "end_turn" && failed.length === 0) return TAKEN;
      return refused(JSON.stringify([stop, failed]));
    },
  };
}

const it = { name: "it", description: "Does it.", inputSchema: { type: "object" } };
const outputSchema = { type: "object", properties: { x: { type: "array", items: { type: "object" } } } };

function mcp(name: string, { list, call }: Answers, listed: object = it): Door {
  return {
    name,
    open: () => {
      let value = "null";
      const fetch = async (...[input, init]: Parameters<typeof globalThis.fetch>) => {
        const request = new Request(input, init);
        if (request.method !== "POST") return new Response(null, { status: 405 });
        const { id, method } = (await request.json()) as { id?: unknown; method?: string };
        if (id === undefined) return new Response(null, { status: 202 });
        const results: { readonly [method: string]: () => string } = {
          initialize: () =>
            '{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"h","version":"1"}}',
          "tools/list": () => list?.(value) ?? JSON.stringify({ tools: [listed] }),
          "tools/call": () => call?.(value) ?? '{"content":[]}',
        };
        const result = results[method ?? ""]?.() ?? "{}";
        return new Response(`{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${result}}`, {
          headers: { "content-type": "application/json" },
        });
      };
      const opened = () => {
        const server = mcpServer({
          name: "s",
          url: "https://mcp.example.com/mcp",
          fetch,
          protocol: "legacy",
        });
        const tools = mcpTools({ servers: [server], waitMs: 30_000, onError: () => undefined });
        return { server, world: calling(tools, "mcp__s__it", (json) => (value = json)) };
      };
      const errors: unknown[] = [];
      return {
        errors,
        // Each value meets a new connection: a server that has failed is not asked again for a while.
        knock: async (json) => {
          const { server, world } = opened();
          try {
            return await world.knock(json);
          } finally {
            errors.push(...world.errors);
            await server.close();
          }
        },
      };
    },
  };
}

function remote(name: string, { list, call }: Answers): Door {
  return {
    name,
    open: () => {
      let value = "null";
      const schema = '{"tools":[{"name":"it","description":"Does it.","input_schema":{"type":"object"}}]}';
      const fetch = async (...[input]: Parameters<typeof globalThis.fetch>) => {
        const isList = new URL(String(input instanceof Request ? input.url : input)).pathname.endsWith(
          "schema",
        );
        const text = isList ? (list?.(value) ?? schema) : (call?.(value) ?? '{"tool_name":"it","result":1}');
        return new Response(text, { headers: { "content-type": "application/json" } });
      };
      const errors: unknown[] = [];
      return {
        errors,
        knock: async (json) => {
          const tools = remoteTools({
            url: "https://tools.example.com",
            token: "t",
            fetch,
            onWarning: () => undefined,
          });
          const world = calling(tools, "it", (given) => (value = given));
          const outcome = await world.knock(json);
          errors.push(...world.errors);
          return outcome;
        },
      };
    },
  };
}

const tool = (field: string, json: string) =>
  `{"tools":[{"name":"it","inputSchema":{"type":"object"},"${field}":${json}}]}`;

export const OUTSIDE_DOORS: readonly Door[] = [
  mcp("MCP server: list", { list: (json) => `{"tools":${json}}` }),
  mcp("MCP server: schema of an input", { list: (json) => tool("inputSchema", json) }),
  mcp("MCP server: schema of an output", { list: (json) => tool("outputSchema", json) }),
  mcp("MCP server: description", { list: (json) => tool("description", json) }),
  mcp("MCP server: metadata", { list: (json) => tool("_meta", json) }),
  mcp("MCP server: content", { call: (json) => `{"content":${json}}` }),
  mcp("MCP server: text", { call: (json) => `{"content":[{"type":"text","text":${json}}]}` }),
  mcp("MCP server: structured content", { call: (json) => `{"content":[],"structuredContent":${json}}` }),
  mcp(
    "MCP server: structured content, by its schema",
    { call: (json) => `{"content":[],"structuredContent":{"x":${json}}}` },
    { ...it, outputSchema },
  ),
  mcp("MCP server: metadata of a result", { call: (json) => `{"content":[],"_meta":${json}}` }),
  remote("tools' server: list", { list: (json) => `{"tools":${json}}` }),
  remote("tools' server: schema of an input", {
    list: (json) => `{"tools":[{"name":"it","description":"d","input_schema":${json}}]}`,
  }),
  remote("tools' server: result", { call: (json) => `{"tool_name":"it","result":${json}}` }),
  remote("tools' server: error", { call: (json) => `{"tool_name":"it","error":{"message":${json}}}` }),
];
