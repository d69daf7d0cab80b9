// One process of an app: begins a run that a server asks in, or answers it. Prints the outcome as JSON.
import { agent, runtime } from "@pawl/core";
import { mcpServer, mcpTools } from "@pawl/mcp";
import { embeddedStore } from "@pawl/postgres/embedded";
import { strictModel } from "@pawl/testing";

const [, , dataDir, url, sessionId] = process.argv;
const store = await embeddedStore({ dataDir });
const call = { tools: [{ name: "mcp__files__erase", id: "c1", input: { path: "/a" } }] };
const eraser = agent({
  name: "eraser",
  model: strictModel({ script: sessionId === undefined ? [call] : [{ text: "It is gone." }] }),
  instructions: "You erase files.",
  tools: mcpTools({ servers: [mcpServer({ name: "files", url })] }),
});
const pawl = runtime({ agents: [eraser], store });
const value = { action: "accept", content: { ok: true } };
const begins = sessionId === undefined ? { input: "Go" } : { sessionId, answers: [{ callId: "c1", value }] };
const result = await pawl.run(eraser, { userId: "ada", ...begins }).result;
console.log(
  JSON.stringify({
    sessionId: result.sessionId,
    stop: result.stop.type,
    text: result.text,
    actions: result.actions,
  }),
);
await pawl.drain();
await store.close();
