import { createServer, type Server } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import {
  type AgentOptions,
  agent,
  type EventStore,
  type FileStore,
  type Hook,
  jsonSchema,
  type ModelClient,
  memoryStore,
  type Runtime,
  runtime,
  type SessionEvent,
  tool,
  type WhenBusy,
} from "@pawl/core";
import type { WorkLimits } from "@pawl/core/store";
import { onTestFinished as afterTheOnlyTest, expect, type TestContext } from "vitest";
import { settled } from "../../../../test/support/settled.ts";
// The client's parser, so that what is served is read the way it will be.
import { readEvents } from "../../../client/src/wire/read-events.ts";
import { type HandlerOptions, handler } from "../../src/index.ts";
import { nodeListener } from "../../src/node.ts";

export const confirm = tool({
  name: "confirm",
  description: "Asks for a yes or no.",
  input: jsonSchema<{ question: string }>({ type: "object", properties: { question: { type: "string" } } }),
  suspends: {
    answer: jsonSchema<{ yes: boolean }>({
      type: "object",
      properties: { yes: { type: "boolean" } },
      required: ["yes"],
      additionalProperties: false,
    }),
  },
});

export const look = tool({
  name: "look",
  description: "Looks something up.",
  input: jsonSchema<{ what?: string }>({ type: "object", properties: { what: { type: "string" } } }),
  status: { start: "Looking", done: "Looked" },
  execute: ({ what = "nothing" }) => `found ${what}`,
});

export interface Served {
  url: string;
  server: Server;
  sockets: Set<Socket>;
  runtime: Runtime;
  store: EventStore;
  errors: unknown[];
  /** Sends as a user; `null`: as nobody. */
  ask(path: string, init?: RequestInit & { json?: unknown; as?: string | null }): Promise<Response>;
}

/** Starts a real server on its own port. `Bearer <user>` identifies the user. */
export async function serve(
  model: ModelClient,
  options: Partial<HandlerOptions> & {
    store?: EventStore;
    tools?: AgentOptions<unknown>["tools"] & {};
    whenBusy?: WhenBusy;
    hooks?: Hook[];
    output?: AgentOptions<unknown>["output"];
    files?: FileStore;
    workLimits?: WorkLimits;
    clientTools?: boolean;
    roles?: AgentOptions<unknown>["roles"];
    handOverTo?: AgentOptions<unknown>["handOverTo"];
    /** Options of the agent `other`. */
    other?: Partial<AgentOptions<unknown>>;
    /** From the context of a test that runs beside others. */
    onTestFinished?: TestContext["onTestFinished"];
  } = {},
): Promise<Served> {
  const { store = memoryStore(), tools = [confirm, look], whenBusy, hooks = [], ...rest } = options;
  const {
    files,
    workLimits,
    output,
    clientTools = false,
    roles,
    handOverTo,
    other: ofOther,
    onTestFinished = afterTheOnlyTest,
    ...handlerOptions
  } = rest;
  const coach = agent({
    name: "coach",
    model,
    instructions: "TOP SECRET PROMPT",
    tools,
    limits: { turns: 200 },
    hooks,
    clientTools,
    ...(whenBusy && { whenBusy }),
    ...(output && { output }),
    ...(roles && { roles }),
    ...(handOverTo && { handOverTo }),
  });
  const other = agent({ name: "other", model, instructions: "Another.", tools, ...ofOther });
  const made = {
    agents: [coach, other],
    store,
    times: { pollMs: 50 },
    testing: { newId: () => crypto.randomUUID() },
  };
  const pawl = runtime({ ...made, ...(files && { files }), ...(workLimits && { workLimits }) });
  const errors: unknown[] = [];
  const serving = handler({
    runtime: pawl,
    agent: "coach",
    basePath: "/api/coach",
    authorize: (request) => {
      const user = request.headers.get("authorization")?.replace("Bearer ", "");
      return user === undefined ? null : { userId: user };
    },
    onError: (error) => errors.push(error),
    ...handlerOptions,
  });
  // On a busy machine, a connection that ends after five idle seconds ends in the middle of the next request.
  const server = createServer({ keepAliveTimeout: 60_000 }, nodeListener(serving));
  const sockets = new Set<Socket>();
  server.on("connection", (socket) => {
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
    // Questions that expire after the test would ask its model, and what that prints would fail another test.
    await pawl.drain({ timeoutMs: 0 });
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/api/coach`;
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

/** The events of a response, as they come. */
export function eventsOf(response: Response): AsyncGenerator<SessionEvent, void, undefined> {
  return readEvents(response, 10_000);
}

/** All events of a response that ends. */
export async function allEvents(response: Response): Promise<SessionEvent[]> {
  return await Array.fromAsync(eventsOf(response));
}

/** Reads until an event of that type has come, and leaves the stream open. */
export async function until(
  events: AsyncGenerator<SessionEvent, void, undefined>,
  isLast: (event: SessionEvent) => boolean,
): Promise<SessionEvent[]> {
  const read: SessionEvent[] = [];
  for (;;) {
    const { done, value } = await events.next();
    if (done) throw new Error(`The stream ended after ${read.map(({ type }) => type).join(", ")}.`);
    read.push(value);
    if (isLast(value)) return read;
  }
}

/** Waits until a user's message is in a log of Ada's. */
export async function stored({ store }: Served, message: string): Promise<void> {
  const isStored = async () => {
    const sessions = await store.sessions.list({ userId: "ada" });
    const logs = await Promise.all(sessions.map(({ id }) => Array.fromAsync(store.read(id))));
    return logs.flat().some(({ type, data }) => type === "user_message" && data.message === message);
  };
  await expect.poll(isStored).toBe(true);
}

/** Lets everything happen that a page has begun: its requests are at the server before this one. */
export async function quiet({ ask }: Served): Promise<void> {
  await settled();
  await ask("/sessions");
  await settled();
}

/** `seq`s of the stored events among them. */
export function seqsOf(events: readonly SessionEvent[]): number[] {
  return events.flatMap((event) => ("seq" in event ? [event.seq] : []));
}

/** All text of the deltas among them. */
export function deltaText(events: readonly SessionEvent[]): string {
  return events.map((event) => (event.type === "text_delta" ? event.data.text : "")).join("");
}

export function range(first: number, last: number): number[] {
  return Array.from({ length: last - first + 1 }, (_, index) => first + index);
}
