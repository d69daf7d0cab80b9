import { createServer } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import {
  type AgentOptions,
  agent,
  jsonSchema,
  type ModelClient,
  memoryStore,
  runtime,
  tool,
} from "@pawl/core";
import { type HandlerOptions, handler } from "@pawl/sse";
import { nodeListener } from "@pawl/sse/node";
import type { Served } from "../../../packages/sse/test/support/served.ts";
import { pause } from "../../support/pause.ts";

/** A JSON Schema that takes everything. */
export const anything = jsonSchema({});
export const anyObject = jsonSchema({ type: "object" });

/** Asks the user for a yes or no. */
export const confirm = tool({
  name: "confirm",
  description: "Asks.",
  input: anyObject,
  suspends: {
    answer: jsonSchema({
      type: "object",
      properties: { yes: { type: "boolean" } },
      required: ["yes"],
      additionalProperties: false,
    }),
  },
});

export const remove = tool({
  name: "remove",
  description: "Removes.",
  input: anyObject,
  execute: () => "removed",
});

/** Runs in the page. */
export const locate = tool({
  name: "locate",
  description: "Says where the user is.",
  input: anyObject,
  runsIn: "client",
  output: anything,
});

/** An answer that calls one tool, under the id `c1`. */
export const calling = (name: string, input: object = {}, id = "c1") => ({
  tools: [{ id, name, input: input as never }],
});

interface Options extends Partial<HandlerOptions> {
  /** Options of the agent. */
  of?: Partial<AgentOptions<unknown>>;
  /** Documents and scripts by their paths. */
  pages?: Readonly<Record<`/${string}`, string>>;
}

/** Serves an agent over HTTP. `Bearer <user>` identifies the user; without it, all are one. */
export async function serve(
  model: ModelClient,
  { of = {}, pages = {}, ...options }: Options = {},
): Promise<Served> {
  const coach = agent({ name: "coach", model, instructions: "Be kind.", ...of } as AgentOptions<unknown>);
  const store = memoryStore();
  const pawl = runtime({ agents: [coach], store, times: { pollMs: 50 } });
  const errors: unknown[] = [];
  const serving = handler({
    runtime: pawl,
    agent: "coach",
    authorize: (request) => ({ userId: request.headers.get("authorization")?.slice(7) ?? "ada" }),
    onError: (error) => errors.push(error),
    ...options,
  });
  const listener = nodeListener(serving);
  const server = createServer((request, response) => {
    const [, page] = Object.entries(pages).find(([path]) => request.url?.split("?")[0] === path) ?? [];
    if (page === undefined) return void listener(request, response);
    const type = request.url?.includes(".js") ? "text/javascript" : "text/html";
    response.setHeader("content-type", type).end(page);
  });
  const sockets = new Set<Socket>();
  server.on("connection", (socket) => {
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const ask: Served["ask"] = (path, { json, as = "ada", ...init } = {}) =>
    fetch(`${url}${path}`, {
      ...init,
      ...(json !== undefined && { method: "POST", body: JSON.stringify(json) }),
      headers: {
        ...(json !== undefined && { "content-type": "application/json" }),
        ...(as !== null && { authorization: `Bearer ${as}` }),
        ...(init.headers as Record<string, string> | undefined),
      },
    });
  return { url, server, sockets, runtime: pawl, store, errors, ask };
}

/** Waits until something holds; resolves to whether it came about. */
export async function comesAbout(holds: () => boolean | Promise<boolean>, ms = 20_000): Promise<boolean> {
  const deadline = Date.now() + ms;
  while (!(await holds())) {
    if (Date.now() > deadline) return false;
    await pause(10, "between two looks at what may never come about");
  }
  return true;
}
