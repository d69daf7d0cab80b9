import { agent, jsonSchema, memoryStore, runtime, type Schema, tool } from "@pawl/core";
import { mcpHandler } from "@pawl/mcp/server";
import { toolHandler } from "@pawl/remote/server";
import { scriptedModel } from "@pawl/testing";
import * as z from "zod";
import { type Door, type Outcome, refused, TAKEN } from "./door.ts";

const tags = z.object({ tags: z.array(z.object({ id: z.string() })) });
const listed = jsonSchema({
  type: "object",
  properties: { tags: { type: "array", items: { type: "object", required: ["id"] } } },
  required: ["tags"],
});

type Serve = (request: Request) => Response | Promise<Response>;

async function post(serve: Serve, path: string, body: string, isRefused: RegExp): Promise<Outcome> {
  const headers = {
    "content-type": "application/json",
    accept: "application/json, text/event-stream",
    "mcp-protocol-version": "2025-11-25",
  };
  const response = await serve(
    new Request(`http://localhost:3000${path}`, { method: "POST", body, headers }),
  );
  const text = await response.text();
  if (response.status >= 500) throw new Error(`${response.status}: ${text.slice(0, 500)}`);
  return !response.ok || isRefused.test(text) ? refused(text) : TAKEN;
}

const remote = (name: string, input: Schema<unknown>, bodyOf: (json: string) => string): Door => ({
  name,
  open: () => {
    const errors: unknown[] = [];
    const it = tool({ name: "it", description: "Does it.", input, execute: () => 1 });
    const authorize = () => ({ userId: "u" });
    const serve = toolHandler({ tools: [it], authorize, onError: (error) => errors.push(error) });
    return { errors, knock: (json) => post(serve, "/tools/execute", bodyOf(json), /^\{"error"/) };
  },
});

const mcp = (name: string, bodyOf: (json: string) => string): Door => ({
  name,
  open: () => {
    const errors: unknown[] = [];
    const clerk = agent({ name: "clerk", model: scriptedModel(() => ({ text: "Ok." })), instructions: "i" });
    const onError = (error: unknown) => errors.push(error);
    const serve = mcpHandler({
      runtime: runtime({ agents: [clerk], store: memoryStore(), onError }),
      agent: clerk,
      description: "Does things.",
      stateKey: "a secret of at least 32 characters, for tests",
      authorize: () => ({ userId: "u" }),
    });
    return { errors, knock: (json) => post(serve, "/mcp", bodyOf(json), /"error":|"isError":true/) };
  },
});

const rpc = (method: string, params: string) =>
  `{"jsonrpc":"2.0","id":1,"method":"${method}","params":${params}}`;
const call = (json: string) => `{"tool_name":"it","tool_input":${json}}`;

export const SERVED_DOORS: readonly Door[] = [
  remote("toolHandler: body", tags, (json) => json),
  remote("toolHandler: input, by zod", tags, call),
  remote("toolHandler: list in the input, by zod", tags, (json) => call(`{"tags":${json}}`)),
  remote("toolHandler: input, by JSON Schema", listed, call),
  remote("toolHandler: list in the input, by JSON Schema", listed, (json) => call(`{"tags":${json}}`)),
  mcp("mcpHandler: body", (json) => json),
  mcp("mcpHandler: params", (json) => rpc("tools/call", json)),
  mcp("mcpHandler: arguments", (json) => rpc("tools/call", `{"name":"clerk","arguments":${json}}`)),
  mcp("mcpHandler: message", (json) => rpc("tools/call", `{"name":"clerk","arguments":{"message":${json}}}`)),
  mcp("mcpHandler: metadata", (json) => rpc("tools/list", `{"_meta":${json}}`)),
];
