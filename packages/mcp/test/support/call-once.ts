import { agent, memoryStore, runtime } from "@pawl/core";
import { scriptedModel } from "@pawl/testing";
import { type McpServer, mcpTools } from "../../src/index.ts";

/** Calls a tool in a run, and returns its text. */
export async function callOnce(server: McpServer, name: string): Promise<string> {
  const made = agent({
    name: "a",
    model: scriptedModel([{ tools: [{ name, input: {} }] }, { text: "Ok." }]),
    instructions: "i",
    // A server that is a process takes seconds to start on a busy machine.
    tools: mcpTools({ servers: [server], waitMs: 60_000 }),
    toolsTimeoutMs: 60_000,
  });
  const { actions } = await runtime({ agents: [made], store: memoryStore() }).run(made, {
    userId: "u",
    input: "x",
  }).result;
  const result = actions[0]?.result as { content: { text: string }[] } | undefined;
  return result?.content[0]?.text ?? "";
}
