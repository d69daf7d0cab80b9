import { type AgentOptions, agent, memoryStore, PawlError, runtime } from "@pawl/core";
import { mcpServer, mcpTools } from "@pawl/mcp";
import { remoteTools } from "@pawl/remote";
import { type Reply, scriptedModel } from "@pawl/testing";
import { type Door, type Opened, refused, TAKEN } from "./door.ts";

/** What a server answers, as JSON with the value in it. */
interface Answers {
  harmless: string;
  list?(json: string): string;
  call?(json: string): string;
}

/** Returns an error by which the library refuses. Any other error fails the test. */
function typedError(error: unknown): PawlError {
  if (error instanceof PawlError) return error;
  throw error;
}

/**
 * Runs a message through an agent that calls the tool `name`. What its call fails with is the refusal. With
 * `answerOf`, the value is in the user's answer to the call's question.
 */
function calling(
  tools: AgentOptions<unknown>["tools"] & {},
  name: string,
  use: (json: string) => void,
  answerOf?: (json: string) => string,
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
      let ended = await pawl.run("a", { userId: "u", input: "Go" }).result.catch(typedError);
      if (answerOf !== undefined && !(ended instanceof PawlError)) {
        const { sessionId, pending } = ended;
        const [open] = pending;
        if (open === undefined) throw new Error("Nothing was asked.");
        const answers = [{ callId: open.callId, question: open.seq, value: JSON.parse(answerOf(json)) }];
        ended = await pawl.run("a", { userId: "u", sessionId, answers }).result.catch(typedError);
      }
      if (ended instanceof PawlError) return refused(PawlError.describe(ended));
      const { actions, stop, pending } = ended;
      if (pending.length > 0 && answerOf === undefined) return TAKEN;
      const failed = actions.filter(({ success }) => !success);
      // A server's own error is taken if the model reads it as it is.
      const isWhole = failed.every(({ result }) => JSON.stringify(result) === json);
      if (stop.type === "end_turn" && isWhole) return TAKEN;
      return refused(JSON.stringify([stop, failed]));
    },
  };
}

const it = { name: "it", description: "Does it.", inputSchema: { type: "object" } };
const outputSchema = { type: "object", properties: { x: { type: "array", items: { type: "object" } } } };

const LEGACY_INIT =
  '{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"h","version":"1"}}';
const DISCOVERED =
  '{"supportedVersions":["2026-07-28"],"capabilities":{"tools":{}},"serverInfo":{"name":"h","version":"1"}}';

/** What the newest protocol wants in each result, for which an older one has no use. */
const complete = (result: string) =>
  result.includes('"resultType"')
    ? result
    : `{"resultType":"complete","ttlMs":0,"cacheScope":"private",${result.slice(1)}`;

interface Served extends Answers {
  /** The tool that the server lists. Default: one without an output schema. */
  listed?: object;
  protocol?: "legacy" | "modern";
  /** Puts the value into the user's answer to the server's question. */
  answerOf?(json: string): string;
}

function mcp(
  name: string,
  { harmless, list, call, listed = it, protocol = "legacy", answerOf }: Served,
): Door {
  return {
    name,
    harmless,
    open: () => {
      let value = "null";
      const fetch = async (...[input, init]: Parameters<typeof globalThis.fetch>) => {
        const request = new Request(input, init);
        if (request.method !== "POST") return new Response(null, { status: 405 });
        const { id, method = "", params } = (await request.json()) as Asked;
        if (id === undefined) return new Response(null, { status: 202 });
        const results: { readonly [method: string]: () => string } = {
          initialize: () => LEGACY_INIT,
          "server/discover": () => DISCOVERED,
          "tools/list": () => list?.(value) ?? JSON.stringify({ tools: [listed] }),
          "tools/call": () =>
            params?.inputResponses === undefined ? (call?.(value) ?? '{"content":[]}') : '{"content":[]}',
        };
        const result = results[method]?.() ?? "{}";
        const sent = protocol === "legacy" ? result : complete(result);
        return new Response(`{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${sent}}`, {
          headers: { "content-type": "application/json" },
        });
      };
      const opened = () => {
        const server = mcpServer({
          name: "s",
          url: "https://mcp.example.com/mcp",
          fetch,
          protocol,
        });
        const tools = mcpTools({ servers: [server], waitMs: 30_000, onError: () => undefined });
        return { server, world: calling(tools, "mcp__s__it", (json) => (value = json), answerOf) };
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

interface Asked {
  id?: unknown;
  method?: string;
  params?: { inputResponses?: unknown };
}

const modern = (name: string, served: Answers) => mcp(name, { ...served, protocol: "modern" });

/** A door to the user's answer to a question of a server. */
const answered = (name: string, harmless: string, answerOf: (json: string) => string): Door => {
  const call = () => question(`{"message":"?","requestedSchema":${form}}`);
  return mcp(name, { harmless, protocol: "modern", call, answerOf });
};

function remote(name: string, { harmless, list, call }: Answers): Door {
  return {
    name,
    harmless,
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
const schema = '{"type":"object"}';
const question = (params: string) =>
  `{"resultType":"input_required","inputRequests":{"q":{"method":"elicitation/create","params":${params}}}}`;
const form = '{"type":"object","properties":{"x":{"type":"string"}}}';

export const OUTSIDE_DOORS: readonly Door[] = [
  mcp("MCP server: list", {
    harmless: JSON.stringify([it]),
    list: (json) => `{"tools":${json}}`,
  }),
  mcp("MCP server: schema of an input", { harmless: schema, list: (json) => tool("inputSchema", json) }),
  mcp("MCP server: schema of an output", {
    harmless: schema,
    list: (json) => tool("outputSchema", json),
    call: () => '{"content":[],"structuredContent":{"x":[]}}',
  }),
  mcp("MCP server: description", { harmless: '"d"', list: (json) => tool("description", json) }),
  mcp("MCP server: metadata", { harmless: '{"a":1}', list: (json) => tool("_meta", json) }),
  mcp("MCP server: content", { harmless: "[]", call: (json) => `{"content":${json}}` }),
  mcp("MCP server: text", {
    harmless: '"a"',
    call: (json) => `{"content":[{"type":"text","text":${json}}]}`,
  }),
  mcp("MCP server: JSON in a text", {
    harmless: "1",
    call: (json) => `{"content":[{"type":"text","text":${JSON.stringify(json)}}]}`,
  }),
  mcp("MCP server: structured content", {
    harmless: '{"x":[]}',
    call: (json) => `{"content":[],"structuredContent":${json}}`,
  }),
  mcp("MCP server: structured content, by its schema", {
    harmless: "[{}]",
    call: (json) => `{"content":[],"structuredContent":{"x":${json}}}`,
    listed: { ...it, outputSchema },
  }),
  mcp("MCP server: metadata of a result", {
    harmless: '{"a":1}',
    call: (json) => `{"content":[],"_meta":${json}}`,
  }),
  modern("MCP server, modern: list", {
    harmless: JSON.stringify([it]),
    list: (json) => `{"tools":${json}}`,
  }),
  modern("MCP server, modern: structured content", {
    harmless: '{"x":[]}',
    call: (json) => `{"content":[],"structuredContent":${json}}`,
  }),
  modern("MCP server, modern: question", {
    harmless: `{"message":"?","requestedSchema":${form}}`,
    call: question,
  }),
  modern("MCP server, modern: form of a question", {
    harmless: form,
    call: (json) => question(`{"message":"?","requestedSchema":${json}}`),
  }),
  answered(
    "MCP server, modern: answer to a question",
    '{"action":"accept","content":{"x":"a"}}',
    (json) => json,
  ),
  answered(
    "MCP server, modern: content of an answer",
    '{"x":"a"}',
    (json) => `{"action":"accept","content":${json}}`,
  ),
  remote("tools' server: list", {
    harmless: '[{"name":"it","description":"d","input_schema":{"type":"object"}}]',
    list: (json) => `{"tools":${json}}`,
  }),
  remote("tools' server: schema of an input", {
    harmless: schema,
    list: (json) => `{"tools":[{"name":"it","description":"d","input_schema":${json}}]}`,
  }),
  remote("tools' server: result", { harmless: "1", call: (json) => `{"tool_name":"it","result":${json}}` }),
  remote("tools' server: error", {
    harmless: '"a"',
    call: (json) => `{"tool_name":"it","error":{"message":${json}}}`,
  }),
];
