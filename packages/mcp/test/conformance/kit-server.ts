import { once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { Readable } from "node:stream";
import { type Json, type JsonObject, memoryStore, runtime } from "@pawl/core";
import { isObject, objectIn } from "../../src/base/json.ts";
import { type RunTask, readTaskId } from "../../src/server/task-of-run.ts";
import { mcpHandler } from "../../src/server.ts";
import { kitAgents, TASK_TOOLS } from "./kit-agents.ts";

/**
 * Starts a server for the kit's server scenarios: `mcpHandler()` for each agent of `kitAgents()`. A call goes
 * to the handler of the tool that it names, a request about a task to that of its agent, and others to any. The kit's calls have no
 * `message`, so their arguments become one.
 */
export async function startKitServer(): Promise<{ url: string; close: () => Promise<void> }> {
  const agents = kitAgents();
  const pawl = runtime({ agents: [...agents.values()], store: memoryStore(), onError: () => undefined });
  const handlers = new Map(
    [...agents].map(([name, served]) => [
      name,
      mcpHandler({
        runtime: pawl,
        agent: served,
        toolName: name,
        description: "A tool of the conformance kit.",
        stateKey: "a secret of at least 32 characters",
        authorize: () => ({ userId: "ada" }),
        ...(TASK_TOOLS.includes(name) && { taskAfterMs: 0 }),
      }),
    ]),
  );
  const other = handlers.get("test_simple_text") as (request: Request) => Promise<Response>;
  const http = createServer(async (incoming, outgoing) => {
    const { name, task, request } = await requestOf(incoming);
    const session = task && (await pawl.store.sessions.get(task.session));
    const response = await (handlers.get(session?.agent ?? name) ?? other)(request);
    outgoing.writeHead(response.status, Object.fromEntries(response.headers));
    if (response.body === null) outgoing.end();
    else Readable.fromWeb(response.body as never).pipe(outgoing);
  }).listen(0, "127.0.0.1");
  await once(http, "listening");
  return {
    url: `http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`,
    close: async () => {
      http.close();
      http.closeAllConnections();
      await pawl.drain({ timeoutMs: 0 });
    },
  };
}

/** A request of the kit with a `message`, and what it is about. */
interface KitRequest {
  request: Request;
  /** The name of the tool that it calls. */
  name: string;
  /** The task that it asks about. */
  task: RunTask | undefined;
}

async function requestOf(incoming: IncomingMessage): Promise<KitRequest> {
  const body = Buffer.concat(await Array.fromAsync(incoming)).toString();
  const { method = "GET", headers } = incoming;
  const { name, text } = withMessage(body);
  const task = readTaskId(objectIn(parsed(body).params).taskId);
  const init = { method, headers: headers as Record<string, string>, ...(body !== "" && { body: text }) };
  return { name, task, request: new Request(`http://${headers.host}${incoming.url}`, init) };
}

function withMessage(body: string): { name: string; text: string } {
  const call = parsed(body);
  const { name, arguments: input = {} } = objectIn(call.params);
  if (call.method !== "tools/call" || !isObject(input)) return { name: "", text: body };
  const params = { ...objectIn(call.params), arguments: { ...input, message: JSON.stringify(input) } };
  return { name: String(name), text: JSON.stringify({ ...call, params }) };
}

function parsed(body: string): JsonObject {
  try {
    return objectIn(JSON.parse(body) as Json);
  } catch {
    return {};
  }
}
