// A user's agent whose tools are elsewhere: behind `toolHandler()`, and on an MCP server, which is an agent of
// Pawl itself. All of it is in one process, without a network.
import assert from "node:assert/strict";
import { agent, jsonSchema, memoryStore, runtime, tool } from "@pawl/core";
import { mcpServer, mcpTools } from "@pawl/mcp";
import { mcpHandler } from "@pawl/mcp/server";
import { remoteTools } from "@pawl/remote";
import { toolHandler } from "@pawl/remote/server";
import { scriptedModel } from "@pawl/testing";

const look = tool({
  name: "look",
  description: "Looks.",
  input: jsonSchema({ type: "object", properties: {} }),
  execute: (_, { userId }) => `seen by ${userId}`,
});
const serveTools = toolHandler({
  tools: [look],
  authorize: ({ headers }) => (headers.get("authorization") === "Bearer of-ada" ? { userId: "ada" } : null),
});
const remote = remoteTools({
  url: "https://tools.example.com",
  fetch: (input, init) => serveTools(new Request(input, init)),
});

const poet = agent({
  name: "poet",
  model: scriptedModel([{ text: "Roses are red." }]),
  instructions: "You write poems.",
});
const servePoet = mcpHandler({
  runtime: runtime({ agents: [poet], store: memoryStore() }),
  agent: poet,
  description: "Writes poems.",
  stateKey: "a secret of at least 32 characters, from the environment",
  authorize: () => ({ userId: "ada" }),
});
const server = mcpServer({
  name: "poet",
  url: "https://poet.example.com/mcp",
  fetch: (input, init) => servePoet(new Request(input, init)),
});
const mcp = mcpTools({ servers: [server] });

const asked = { name: "mcp__poet__ask", input: { message: "A poem!" } };
const walker = agent({
  name: "walker",
  model: scriptedModel([{ tools: [{ name: "look", input: {} }, asked] }, { text: "Done." }]),
  instructions: "You walk.",
  tools: async (source) => [...(await remote(source)), ...(await mcp(source))],
});
const pawl = runtime({ agents: [walker], store: memoryStore() });
const { text, actions } = await pawl.run("walker", {
  userId: "ada",
  input: "Go",
  credentials: { token: "of-ada" },
}).result;
assert.equal(text, "Done.");
assert.equal(actions[0]?.result, "seen by ada");
assert.match(JSON.stringify(actions[1]?.result), /Roses are red/);
await server.close();
