import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { inspect } from "node:util";
import Anthropic from "@anthropic-ai/sdk";
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  SimpleSpanProcessor,
} from "@opentelemetry/sdk-trace-base";
import { claude } from "@pawl/anthropic";
import { agent, type ModelClient, memoryStore, PawlError, runtime, withRetry } from "@pawl/core";
import { openai } from "@pawl/openai";
import { withSpans } from "@pawl/otel";
import { OpenAI } from "openai";
import { describe, expect, it, vi } from "vitest";

// A secret that matches no known format of keys, and that JSON and URLs encode differently.
const SECRET = 'gateway/secret+key"0123';
const HEADER = "gateway/secret+header";

type Answer = (request: IncomingMessage, response: ServerResponse) => void;

async function serve(answer: Answer) {
  let asked = 0;
  const server = createServer((request, response) => {
    asked += 1;
    answer(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked: () => asked,
    [Symbol.asyncDispose]: async () => void server.close(),
  };
}

/** Returns all headers of the request as text, as a careless gateway may do in an error. */
const echo = ({ headers }: IncomingMessage) => JSON.stringify(headers);
/** Returns the secrets alone. */
const wordsOf = ({ headers }: IncomingMessage) => `${SECRET} ${headers["x-gateway"] ?? ""}`;
const refusal = (request: IncomingMessage) => ({ error: { type: "error", message: `no: ${echo(request)}` } });

const servers: readonly (readonly [where: string, answer: Answer])[] = [
  ["the message", (request, response) => response.writeHead(401).end(JSON.stringify(refusal(request)))],
  [
    "the nested body, its type and its code",
    (request, response) => {
      const words = wordsOf(request);
      const error = {
        type: words,
        code: words,
        message: "No.",
        details: { error_code: words, got: echo(request) },
      };
      response.writeHead(400).end(JSON.stringify({ type: words, request_id: words, error }));
    },
  ],
  ["plain text", (request, response) => response.writeHead(502).end(`${echo(request)} ${wordsOf(request)}`)],
  [
    "the headers",
    (request, response) => {
      const { authorization = "", "x-api-key": key = "", "x-gateway": other = "" } = request.headers;
      const all = [authorization, key, other].join(" ");
      response.writeHead(500, { "request-id": all, "x-request-id": all, "www-authenticate": all }).end("{}");
    },
  ],
  [
    "an error in the middle of the stream",
    (request, response) => {
      response.writeHead(200, {
        "content-type": "text/event-stream",
        "request-id": SECRET,
        "x-request-id": SECRET,
      });
      const start = { type: "message_start", message: { id: "m", model: "m" } };
      response.write(`event: message_start\ndata: ${JSON.stringify(start)}\n\n`);
      response.end(`event: error\ndata: ${JSON.stringify(refusal(request))}\n\n`);
    },
  ],
];

/** Fails with a connection error. The cause of its cause contains the request's secrets. */
const broken = async (_url: unknown, init?: RequestInit): Promise<Response> => {
  const headers = new Headers(init?.headers);
  const words = `${SECRET} ${headers.get("x-gateway") ?? ""}`;
  const sent = `${JSON.stringify([...headers])} ${words}`;
  throw new TypeError("fetch failed", {
    cause: new Error("reset", { cause: new Error(sent) }),
  });
};

type Fetch = typeof broken;
/** Clients, by where their secrets come from: an option, the environment, or the user's own client. */
const clients: readonly (readonly [
  name: string,
  env: Record<string, string>,
  make: (baseURL: string, fetch?: Fetch) => ModelClient,
])[] = [
  [
    "claude with its key as an option",
    {},
    (baseURL, fetch) => claude("claude-sonnet-5-5", { apiKey: SECRET, baseURL, ...(fetch && { fetch }) }),
  ],
  [
    "claude with key and headers in the environment",
    { ANTHROPIC_API_KEY: SECRET, ANTHROPIC_CUSTOM_HEADERS: `x-gateway: ${HEADER}` },
    (baseURL, fetch) => claude("claude-sonnet-5-5", { baseURL, ...(fetch && { fetch }) }),
  ],
  [
    "claude over a client with a token and headers",
    {},
    (baseURL, fetch) => {
      const client = new Anthropic({
        apiKey: null,
        authToken: SECRET,
        baseURL,
        defaultHeaders: { "x-gateway": HEADER },
        ...(fetch && { fetch }),
      });
      return claude("claude-sonnet-5-5", { client });
    },
  ],
  [
    "openai with its key as an option",
    {},
    (baseURL, fetch) => openai("x", { apiKey: SECRET, baseURL, ...(fetch && { fetch }) }),
  ],
  [
    "openai with key and headers in the environment",
    { OPENAI_API_KEY: SECRET, OPENAI_CUSTOM_HEADERS: `x-gateway: ${HEADER}` },
    (baseURL, fetch) => openai("x", { baseURL, ...(fetch && { fetch }) }),
  ],
  [
    "openai over a client with headers",
    {},
    (baseURL, fetch) => {
      const client = new OpenAI({
        apiKey: SECRET,
        baseURL,
        defaultHeaders: { "x-gateway": HEADER },
        ...(fetch && { fetch }),
      });
      return openai("x", { client });
    },
  ],
];

/** Does some work with these environment variables, to its end: clients read them at their first request. */
async function within<T>(env: Record<string, string>, work: () => Promise<T>): Promise<T> {
  for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value);
  try {
    return await work();
  } finally {
    vi.unstubAllEnvs();
  }
}

/** Returns the secrets that a text contains, in any encoding. */
function found(text: string): string[] {
  const spellings = [SECRET, HEADER].flatMap((secret) => [
    secret,
    JSON.stringify(secret).slice(1, -1),
    encodeURIComponent(secret),
  ]);
  return spellings.filter((secret) => text.includes(secret));
}

/**
 * Collects all texts in which a failure of this model appears: the thrown error, the log, the spans, `onError`
 * hooks, and what the runtime reports.
 */
async function traces(model: ModelClient): Promise<string> {
  const request = {
    system: [],
    tools: [],
    messages: [{ role: "user" as const, content: [{ type: "text" as const, text: "Hi" }] }],
    maxTokens: 100,
  };
  const thrown: unknown[] = [];
  try {
    for await (const _ of model.stream(request, { signal: AbortSignal.timeout(5_000) }));
  } catch (error) {
    expect(PawlError.is(error, "model_error")).toBe(true);
    thrown.push(error);
  }
  expect(thrown).toHaveLength(1);
  const exporter = new InMemorySpanExporter();
  const provider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
  const store = withSpans(memoryStore(), { tracer: provider.getTracer("test"), content: true });
  const told: unknown[] = [];
  const reported: unknown[] = [];
  const hooks = [{ name: "watch", onError: (error: unknown) => void told.push(error) }];
  const made = agent({
    name: "a",
    model: withRetry(model, { retries: 1, baseMs: 0 }),
    instructions: "Go.",
    hooks,
  });
  const pawl = runtime({ agents: [made], store, onError: (error) => void reported.push(error) });
  const { sessionId, stop } = await pawl.run("a", { userId: "u", input: "Hi" }).result;
  expect(stop.type).toBe("error");
  expect(reported).toHaveLength(1);
  const log = await Array.fromAsync(store.read(sessionId));
  const spans = exporter
    .getFinishedSpans()
    .map(({ name, attributes, events, status }) => ({ name, attributes, events, status }));
  const deep = { depth: Number.POSITIVE_INFINITY, showHidden: true, maxStringLength: null };
  const errors = [thrown, told, reported].map((all) => inspect(all, deep));
  return [...errors, PawlError.describe(reported[0]), JSON.stringify(log), JSON.stringify(spans)].join("\n");
}

describe.each(clients)(
  "W5 nothing that %s sends for a secret comes back out of a failure",
  (_name, env, make) => {
    it.each(servers)("that has it in %s", async (_where, answer) => {
      await using server = await serve(answer);
      expect(found(await within(env, () => traces(make(server.url))))).toEqual([]);
      expect(server.asked()).toBeGreaterThan(1);
    });

    it("that has it in the cause of a broken connection", async () => {
      const fails = vi.fn(broken);
      expect(found(await within(env, () => traces(make("http://127.0.0.1:9", fails))))).toEqual([]);
      expect(fails.mock.calls.length).toBeGreaterThan(1);
    });
  },
);
