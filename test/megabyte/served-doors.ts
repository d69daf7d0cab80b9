import { agent, jsonSchema, memoryStore, runtime, type Schema, tool } from "@pawl/core";
import { mcpHandler } from "@pawl/mcp/server";
import { toolHandler } from "@pawl/remote/server";
import { scriptedModel } from "@pawl/testing";
import * as z from "zod";
import { pause } from "../support/pause.ts";
import { settled } from "../support/settled.ts";
import { type Door, type Outcome, refused, TAKEN } from "./door.ts";

const tags = z.object({ tags: z.array(z.object({ id: z.string() })) });
const listed = jsonSchema({
  type: "object",
  properties: { tags: { type: "array", items: { type: "object", required: ["id"] } } },
  required: ["tags"],
});

type Serve = (request: Request) => Response | Promise<Response>;

async function post(
  serve: Serve,
  path: string,
  body: string,
  isRefused: RegExp,
  more: Record<string, string> = {},
): Promise<Outcome & { text: string }> {
  const headers = {
    "content-type": "application/json",
    accept: "application/json, text/event-stream",
    "mcp-protocol-version": "2025-11-25",
    ...more,
  };
  const response = await serve(
    new Request(`http://localhost:3000${path}`, { method: "POST", body, headers }),
  );
  const text = await response.text();
  if (response.status >= 500) throw new Error(`${response.status}: ${text.slice(0, 500)}`);
  return { ...(!response.ok || isRefused.test(text) ? refused(text) : TAKEN), text };
}

const remote = (
  name: string,
  harmless: string,
  input: Schema<unknown>,
  bodyOf: (json: string) => string,
): Door => ({
  name,
  harmless,
  open: () => {
    const errors: unknown[] = [];
    const it = tool({ name: "it", description: "Does it.", input, execute: () => 1 });
    const authorize = () => ({ userId: "u" });
    const serve = toolHandler({ tools: [it], authorize, onError: (error) => errors.push(error) });
    return { errors, knock: (json) => post(serve, "/tools/execute", bodyOf(json), /^\{"error"/) };
  },
});

/** An agent as an MCP server, which asks the user if `asks`. With `asTask`, each run becomes a task at once. */
function served({ asks = false, asTask = false } = {}) {
  const errors: unknown[] = [];
  const wait = tool({
    name: "wait",
    description: "Waits.",
    input: z.object({}),
    execute: () => pause(5, "a run becomes a task if it takes longer than `taskAfterMs`"),
  });
  const pick = tool({ name: "pick", description: "Asks.", input: z.object({}), suspends: { answer: tags } });
  const model = scriptedModel(({ messages }) => {
    const calls = messages.filter(({ content }) => JSON.stringify(content).includes("tool_result")).length;
    const name = [...(asTask ? ["wait"] : []), ...(asks ? ["pick"] : [])][calls];
    return name === undefined ? { text: "Ok." } : { tools: [{ name, input: {} }] };
  });
  const clerk = agent({ name: "clerk", model, instructions: "i", tools: [pick, wait] });
  const onError = (error: unknown) => errors.push(error);
  const serve = mcpHandler({
    runtime: runtime({ agents: [clerk], store: memoryStore(), onError, workLimits: { sessions: 100 } }),
    agent: clerk,
    description: "Does things.",
    stateKey: "a secret of at least 32 characters, for tests",
    ...(asTask && { taskAfterMs: 0 }),
    authorize: () => ({ userId: "u" }),
  });
  return { serve, errors };
}

const REFUSED = /"error":|"isError":true/;

const mcp = (name: string, harmless: string, bodyOf: (json: string) => string): Door => ({
  name,
  harmless,
  open: () => {
    const { serve, errors } = served();
    return { errors, knock: (json) => post(serve, "/mcp", bodyOf(json), REFUSED) };
  },
});

const MODERN = "2026-07-28";
const META = JSON.stringify({
  "io.modelcontextprotocol/protocolVersion": MODERN,
  "io.modelcontextprotocol/clientInfo": { name: "c", version: "1" },
  "io.modelcontextprotocol/clientCapabilities": {
    elicitation: { form: {} },
    extensions: { "io.modelcontextprotocol/tasks": {} },
  },
});

/** Sends a request of the newest protocol. `params` are the insides of an object. */
const ask = (serve: Serve, method: string, name: string, params: string) =>
  post(serve, "/mcp", rpc(method, `{${params},"_meta":${META}}`), REFUSED, {
    "mcp-protocol-version": MODERN,
    "mcp-method": method,
    "mcp-name": name,
  });

const ASKED = '"name":"ask","arguments":{"message":"Hi"}';

/** Returns the result in an answer. */
function resultIn(text: string) {
  const [, data = text] = /^data: (.*"result".*)$/m.exec(text) ?? [];
  if (!data.startsWith("{")) throw new Error(`There is no result in ${text.slice(0, 2_000)}`);
  return JSON.parse(data).result;
}

/** A door to an open question of a served agent, which each value answers. */
const answer = (name: string, harmless: string, contentOf: (json: string) => string): Door => ({
  name,
  harmless,
  open: () => {
    const { serve, errors } = served({ asks: true });
    return {
      errors,
      knock: async (json) => {
        const asked = resultIn((await ask(serve, "tools/call", "ask", ASKED)).text);
        const state = JSON.stringify(asked.requestState);
        const responses = `{"answer":{"action":"accept","content":${contentOf(json)}}}`;
        const more = `"requestState":${state},"inputResponses":${responses}`;
        const outcome = await ask(serve, "tools/call", "ask", `${ASKED},${more}`);
        // An answer that does not fit is asked for again.
        return outcome.text.includes('"input_required"') ? refused(outcome.text) : outcome;
      },
    };
  },
});

/**
 * A door to a method of tasks, each time with a task that asks. `TASK` in a value becomes its id, and `KEY` the
 * key of its question.
 */
const task = (name: string, harmless: string, method: string, paramsOf: (json: string) => string): Door => ({
  name,
  harmless,
  open: () => {
    const { serve, errors } = served({ asks: true, asTask: true });
    return {
      errors,
      knock: async (json) => {
        const { taskId } = resultIn((await ask(serve, "tools/call", "ask", ASKED)).text);
        for (;;) {
          await settled();
          const found = resultIn((await ask(serve, "tasks/get", taskId, `"taskId":"${taskId}"`)).text);
          if (found.status === "working") continue;
          const [key = ""] = Object.keys(found.inputRequests);
          const params = paramsOf(json).replaceAll("TASK", taskId).replaceAll("KEY", key);
          return await ask(serve, method, taskId, params);
        }
      },
    };
  },
});

const rpc = (method: string, params: string) =>
  `{"jsonrpc":"2.0","id":1,"method":"${method}","params":${params}}`;
const call = (json: string) => `{"tool_name":"it","tool_input":${json}}`;

const TAGS = '{"tags":[{"id":"a"}]}';
const TAG_LIST = '[{"id":"a"}]';

export const SERVED_DOORS: readonly Door[] = [
  remote("toolHandler: body", call(TAGS), tags, (json) => json),
  remote("toolHandler: input, by zod", TAGS, tags, call),
  remote("toolHandler: list in the input, by zod", TAG_LIST, tags, (json) => call(`{"tags":${json}}`)),
  remote("toolHandler: input, by JSON Schema", TAGS, listed, call),
  remote("toolHandler: list in the input, by JSON Schema", TAG_LIST, listed, (json) =>
    call(`{"tags":${json}}`),
  ),
  mcp("mcpHandler: body", rpc("tools/list", "{}"), (json) => json),
  mcp("mcpHandler: params", `{${ASKED}}`, (json) => rpc("tools/call", json)),
  mcp("mcpHandler: arguments", '{"message":"Hi"}', (json) =>
    rpc("tools/call", `{"name":"ask","arguments":${json}}`),
  ),
  mcp("mcpHandler: message", '"Hi"', (json) =>
    rpc("tools/call", `{"name":"ask","arguments":{"message":${json}}}`),
  ),
  mcp("mcpHandler: metadata", '{"a":1}', (json) => rpc("tools/list", `{"_meta":${json}}`)),
  answer("mcpHandler: content of an answer", JSON.stringify({ answer: TAGS }), (json) => json),
  answer("mcpHandler: JSON in the text of an answer", TAGS, (json) => JSON.stringify({ answer: json })),
  task("mcpHandler: id of a task", '"TASK"', "tasks/get", (json) => `"taskId":${json}`),
  task(
    "mcpHandler: params beside the id of a task",
    "1",
    "tasks/get",
    (json) => `"taskId":"TASK","x":${json}`,
  ),
  task(
    "mcpHandler: answers to a task",
    '{"KEY":{"action":"decline"}}',
    "tasks/update",
    (json) => `"taskId":"TASK","inputResponses":${json}`,
  ),
  task("mcpHandler: JSON in the text of an answer to a task", TAGS, "tasks/update", (json) => {
    const response = `{"action":"accept","content":${JSON.stringify({ answer: json })}}`;
    return `"taskId":"TASK","inputResponses":{"KEY":${response}}`;
  }),
];
