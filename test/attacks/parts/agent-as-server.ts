import { agent, approval, type Hook, type ModelClient, memoryStore, runtime, type Tool } from "@pawl/core";
import { mcpHandler } from "@pawl/mcp/server";

const headers = {
  "content-type": "application/json",
  accept: "application/json, text/event-stream",
  "mcp-protocol-version": "2025-11-25",
};

/** An agent as an MCP server on a developer's machine, and a function that posts JSON-RPC to it. */
export function agentAsServer(model: ModelClient, tools: Tool[] = [], asksBefore: string[] = []) {
  const hooks: Hook[] = asksBefore.length > 0 ? [approval({ when: asksBefore })] : [];
  const clerk = agent({ name: "clerk", model, instructions: "X", tools, hooks });
  const pawl = runtime({ agents: [clerk], store: memoryStore() });
  const serve = mcpHandler({
    runtime: pawl,
    agent: clerk,
    description: "Does things.",
    stateKey: "a secret of at least 32 characters, for tests",
    authorize: () => ({ userId: "ada" }),
  });
  const post = async (method: string, params: object, more: Record<string, string> = {}) => {
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
    const request = { method: "POST", headers: { ...headers, ...more }, body };
    return await serve(new Request("http://localhost:3000/mcp", request));
  };
  return { pawl, post };
}
