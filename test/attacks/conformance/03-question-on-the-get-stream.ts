import type { ServerResponse } from "node:http";
import { mcpServer, mcpTools } from "@pawl/mcp";
import { scriptedModel } from "@pawl/testing";
import type { Attack } from "../frame/attack.ts";
import { conversation } from "../parts/conversation.ts";
import { gateway, sendJson } from "../parts/gateway.ts";
import { mustHold } from "../parts/must-hold.ts";
import { calling } from "../parts/serve.ts";

interface Message {
  id?: number;
  method?: string;
  params?: { capabilities: { elicitation?: object } };
  result?: unknown;
}

/** A server of 2025-11-25 whose tool asks on the session's own stream, and waits for the answer. */
async function askingServer() {
  let stream: ServerResponse | undefined;
  let declared = false;
  const answered = Promise.withResolvers<unknown>();
  const { url } = await gateway<Message | undefined>(async ({ body, request, response }) => {
    if (request.method === "GET") {
      stream = response.writeHead(200, { "content-type": "text/event-stream" });
      return stream.flushHeaders();
    }
    if (request.method !== "POST" || body === undefined) return response.writeHead(200).end();
    const { id, method, params, result } = body;
    const answer = (value: object) =>
      sendJson(response, 200, { jsonrpc: "2.0", id, result: value }, { "mcp-session-id": "s" });
    if (method === "initialize") {
      declared = params?.capabilities.elicitation !== undefined;
      const serverInfo = { name: "old", version: "1" };
      return answer({ protocolVersion: "2025-11-25", capabilities: { tools: {} }, serverInfo });
    }
    if (method === "tools/list")
      return answer({ tools: [{ name: "erase", inputSchema: { type: "object" } }] });
    if (method === "tools/call") {
      const asked = { message: "Sure?", requestedSchema: { type: "object", properties: {} } };
      const question = { jsonrpc: "2.0", id: 900, method: "elicitation/create", params: asked };
      stream?.write(`event: message\ndata: ${JSON.stringify(question)}\n\n`);
      return answer({
        content: [{ type: "text", text: `answered: ${JSON.stringify(await answered.promise)}` }],
      });
    }
    if (id === 900) answered.resolve(result);
    if (id === undefined || id === 900) return response.writeHead(202).end();
    return sendJson(response, 200, { jsonrpc: "2.0", id, error: { code: -32601, message: "no" } });
  });
  return { url, isDeclared: () => declared };
}

export const attack: Attack = {
  id: "conformance-03",
  title: "An MCP server that asks on its session's stream gets no answer, and the call hangs to its time-out",
  state: "held",
  guard: {
    file: "packages/mcp/test/session-stream.test.ts",
    title: "has the questions of a server during a call, which are cancelled at once",
  },
  attempt: async () => {
    const { url, isDeclared } = await askingServer();
    const old = mcpServer({ name: "old", url: `${url}/mcp`, timeoutMs: 2_000 });
    const model = scriptedModel([calling("mcp__old__erase"), { text: "Done." }]);
    const { actions } = await conversation(model, { tools: mcpTools({ servers: [old] }) }).say("Go.");
    const seen = JSON.stringify(actions[0]?.result ?? "nothing");
    return mustHold(!isDeclared() || seen.includes("answered: "), seen);
  },
};
