import { mcpServer, mcpTools } from "@pawl/mcp";
import { scriptedModel } from "@pawl/testing";
import { type Attack, brokenByAny } from "../frame/attack.ts";
import { conversation } from "../parts/conversation.ts";
import { gateway, sendJson } from "../parts/gateway.ts";
import { mustHold } from "../parts/must-hold.ts";

const object = { type: "object" };
/** What is wrong with a tool, and the tool but for its name. */
const BAD = {
  "no inputSchema": {},
  "an inputSchema without a type": { inputSchema: { properties: {} } },
  "required: null": { inputSchema: { type: "object", required: null } },
  "description: null": { description: null, inputSchema: object },
  "an outputSchema of a list": { inputSchema: object, outputSchema: { type: "array", items: {} } },
};

interface Call {
  id?: number;
  method: string;
}

async function offer(bad: object): Promise<string> {
  const initialized = {
    protocolVersion: "2025-06-18",
    capabilities: { tools: {} },
    serverInfo: { name: "desk", version: "1" },
  };
  const server = await gateway<Call>(({ body, request, response }) => {
    if (request.method !== "POST") return response.writeHead(405).end();
    if (body.id === undefined) return response.writeHead(202).end();
    const results = new Map<string, unknown>([
      ["initialize", initialized],
      [
        "tools/list",
        {
          tools: [
            { name: "good", inputSchema: object },
            { name: "bad", ...bad },
          ],
        },
      ],
    ]);
    const result = results.get(body.method);
    const answer =
      result === undefined ? { error: { code: -32601, message: "Method not found" } } : { result };
    return sendJson(response, 200, { jsonrpc: "2.0", id: body.id, ...answer });
  });
  const desk = mcpServer({ name: "desk", url: `${server.url}/mcp` });
  const model = scriptedModel(() => ({ text: "ok" }));
  const reported: string[] = [];
  const tools = mcpTools({ servers: [desk], onError: (_, error) => reported.push(String(error)) });
  await conversation(model, { tools }).say("go");
  await desk.close();
  const offered = (model.requests[0]?.tools ?? []).map(({ name }) => name);
  return mustHold(offered.includes("mcp__desk__good") && reported.length > 0, { offered, reported });
}

export const attack: Attack = {
  id: "bugs-15",
  title: "One malformed tool of an MCP server takes all tools of the server away",
  state: "held",
  guard: {
    file: "packages/mcp/test/malformed-lists.test.ts",
    title: "leaves it out, says so once, and the others work",
  },
  attempt: () =>
    brokenByAny(Object.fromEntries(Object.entries(BAD).map(([what, bad]) => [what, () => offer(bad)]))),
};
