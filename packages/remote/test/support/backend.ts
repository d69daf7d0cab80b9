import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { agent, type Hook, memoryStore, type RunOptions, runtime, type StoredEvent } from "@pawl/core";
import { remoteTools } from "@pawl/remote";
import { type Reply, strictModel } from "@pawl/testing";
import { onTestFinished } from "vitest";
import { settled } from "../../../../test/support/settled.ts";

export const TOKEN = "tok_0123456789abcdef";

/** What a tool's server got. */
export interface Got {
  path: string;
  headers: IncomingMessage["headers"];
  body: { tool_name: string; tool_input: unknown } | undefined;
}

/** Answers a request, as careless or hostile as the test wants. */
export type Answer = (got: Got, response: ServerResponse) => void;

export const sendJson = (body: unknown, status = 200, headers = {}): Answer => {
  return (_got, response) => {
    response.writeHead(status, { "content-type": "application/json", ...headers }).end(JSON.stringify(body));
  };
};

export const look = { name: "look", description: "Looks.", input_schema: { type: "object" } };

/** Serves tools by hand. `schema` and `execute` answer the two routes, and may be replaced. */
export async function backend(execute: Answer, schema: Answer = sendJson({ tools: [look] })) {
  const routes = { schema, execute };
  const got: Got[] = [];
  const server = createServer(async (request, response) => {
    let text = "";
    for await (const chunk of request) text += chunk;
    const path = request.url ?? "";
    const one = { path, headers: request.headers, body: text === "" ? undefined : JSON.parse(text) };
    got.push(one);
    (path.startsWith("/api/tools/schema") ? routes.schema : routes.execute)(one, response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const close = async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
    // The client has yet to notice that its connections are closed.
    await settled();
  };
  onTestFinished(close);
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/api`;
  const calls = () => got.filter(({ path }) => path.endsWith("/tools/execute"));
  const lists = () => got.filter(({ path }) => path.endsWith("/tools/schema"));
  return { url, routes, got, calls, lists, close };
}

/** The script of a model that calls `look` in each run, and then says something. */
export const looks = (times = 1) =>
  Array.from({ length: times }, () => [
    { tools: [{ name: "look", input: { at: "it" } }] },
    { text: "Seen." },
  ]).flat();

type Remote = Partial<Parameters<typeof remoteTools>[0]> & { url: string };

/** An agent with the tools of a server, whose model follows a script. */
export function front(
  remote: Remote,
  {
    script = looks() as Reply[],
    store = memoryStore(),
    hooks = [] as Hook[],
    without = "ask" as "ask" | "stop",
  } = {},
) {
  const warnings: string[] = [];
  const model = strictModel({ script });
  const coach = agent({
    name: "coach",
    model,
    instructions: "You coach.",
    tools: remoteTools({ onWarning: (message) => warnings.push(message), ...remote }),
    hooks,
  });
  const errors: unknown[] = [];
  const pawl = runtime({
    agents: [coach],
    store,
    withoutCredentials: without,
    onError: (error) => errors.push(error),
  });
  const run = (more: Partial<RunOptions> = {}) =>
    pawl.run("coach", { userId: "ada", input: "Look!", credentials: { token: TOKEN }, ...more });
  const logOf = (sessionId: string): Promise<StoredEvent[]> => Array.fromAsync(store.read(sessionId));
  return { pawl, run, logOf, store, model, warnings, errors };
}
