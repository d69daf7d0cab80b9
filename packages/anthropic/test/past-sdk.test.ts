import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { Anthropic } from "@anthropic-ai/sdk";
import { BaseAnthropic } from "@anthropic-ai/sdk/client";
import type { PawlError } from "@pawl/core";
import { beforeEach, expect, it, onTestFinished, vi } from "vitest";
import { pause } from "../../../test/support/pause.ts";
import { bodyOf } from "../src/body.ts";
import { bodyBytes } from "../src/body-bytes.ts";
import type { Dispatcher } from "../src/dispatcher.ts";
import { nodeFetch } from "../src/node-fetch.ts";
import { client, hi, read } from "./support.ts";

const STOP = 'event: message_stop\ndata: {"type":"message_stop"}\n\n';
const SHARED = Symbol.for("undici.globalDispatcher.1");
const global: { [at: symbol]: Dispatcher | undefined } = globalThis as never;

/** A request as it was on the wire. */
interface Received {
  line: string;
  headers: string[];
  body: string;
}

const succeed = (_: IncomingMessage, response: ServerResponse): void => {
  response.writeHead(200, { "content-type": "text/event-stream", "request-id": "req_01x" }).end(STOP);
};

/** A server that records its requests. */
async function serve(
  answer: (request: IncomingMessage, response: ServerResponse, body: string) => void = succeed,
) {
  const received: Received[] = [];
  const server = createServer(async (request, response) => {
    let body = "";
    for await (const part of request.setEncoding("utf8")) body += part;
    received.push({ line: `${request.method} ${request.url}`, headers: request.rawHeaders, body });
    answer(request, response, body);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, received };
}

beforeEach(async () => {
  // Node has a dispatcher from the first use of `fetch` on.
  await fetch("data:,");
  for (const name of ["API_KEY", "AUTH_TOKEN", "LOG", "CUSTOM_HEADERS"])
    vi.stubEnv(`ANTHROPIC_${name}`, undefined);
  return () => {
    vi.unstubAllEnvs();
    vi.restoreAllMocks();
  };
});

const bySdk = () => vi.spyOn(BaseAnthropic.prototype, "post");

it.each<[string, { apiKey?: string }, { [variable: string]: string }]>([
  ["with a key", { apiKey: "sk-ant-1" }, {}],
  ["with a key of the environment", {}, { API_KEY: "sk-ant-2" }],
  ["with a token of the environment", {}, { AUTH_TOKEN: "token-3" }],
  [
    "with headers of the environment",
    { apiKey: "sk-ant-4" },
    { CUSTOM_HEADERS: "x-team: a\nAccept: text/a" },
  ],
])("R4 sends past the SDK what the SDK sends, byte by byte: %s", async (_, { apiKey }, variables) => {
  for (const [name, value] of Object.entries(variables)) vi.stubEnv(`ANTHROPIC_${name}`, value);
  const { url, received } = await serve();
  const sdk = new Anthropic({
    ...(apiKey !== undefined && { apiKey }),
    baseURL: url,
    fetch: nodeFetch(),
    defaultHeaders: { "content-type": "application/json" },
  });
  const body = bodyBytes(bodyOf("claude-sonnet-5-5", hi, {}));
  await (await sdk.post("/v1/messages", { body, maxRetries: 0 }).asResponse()).text();
  const post = bySdk();
  const model = client({ url }, { apiKey: apiKey as never });
  for (let n = 0; n < 2; n += 1) expect((await read(model)).error).toBeUndefined();
  expect(post).not.toHaveBeenCalled();
  const [own, ...others] = received;
  expect(JSON.parse(own?.body ?? "")).toMatchObject({ model: "claude-sonnet-5-5", stream: true });
  expect(others).toEqual([own, own]);
});

it("R4 lets the SDK send what must not repeat the headers of an earlier request", async () => {
  for (const name of ["FEDERATION_RULE_ID", "ORGANIZATION_ID", "IDENTITY_TOKEN"])
    vi.stubEnv(`ANTHROPIC_${name}`, "x");
  let tokens = 0;
  const { url, received } = await serve((request, response) => {
    if (request.url === "/v1/messages") return succeed(request, response);
    tokens += 1;
    const token = { access_token: `token-${tokens}`, token_type: "Bearer", expires_in: 1 };
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(token));
  });
  const model = client({ url }, { apiKey: undefined as never });
  for (let n = 0; n < 2; n += 1) expect((await read(model)).error).toBeUndefined();
  const asked = received.filter(({ line }) => line === "POST /v1/messages").map(({ headers }) => headers);
  expect(asked.map((headers) => headers[headers.indexOf("authorization") + 1])).toEqual([
    "Bearer token-1",
    "Bearer token-2",
  ]);
});

it("R4 lets the SDK send what it is to log", async () => {
  vi.stubEnv("ANTHROPIC_LOG", "info");
  const info = vi.spyOn(console, "info").mockImplementation(() => undefined);
  const { url } = await serve();
  expect((await read(client({ url }))).error).toBeUndefined();
  expect(info.mock.calls.join()).toContain("/v1/messages succeeded with status 200");
});

type Failing = Parameters<typeof serve>[0];
const failing = (status: number, body: string, headers = {}): Failing => {
  return (_, response) => void response.writeHead(status, headers).end(body);
};
const json = (error: object) => JSON.stringify({ type: "error", error });

/** Everything about an error that the loop, logs and people see. */
function seen({ error, events }: { error?: PawlError; events: object[] }) {
  const causes: string[] = [];
  for (let one: unknown = error?.cause; one instanceof Error; one = one.cause) causes.push(String(one));
  return { events, message: error?.message, details: error?.details, causes };
}

it.each<[string, Failing, object]>([
  ["400", failing(400, json({ type: "invalid_request_error", message: "No." })), { status: 400 }],
  ["401", failing(401, json({ type: "authentication_error", message: "No key." })), { status: 401 }],
  ["404 in plain text", failing(404, "Nothing here"), { status: 404 }],
  ["a redirect", failing(302, "", { location: "/elsewhere" }), { status: 302 }],
  ["429", failing(429, json({ type: "rate_limit_error" }), { "retry-after": "7" }), { retryAfterMs: 7_000 }],
  [
    "a spend limit",
    failing(429, json({ type: "rate_limit_error", details: { error_code: "enforced_spend_limit_reached" } })),
    { errorCode: "enforced_spend_limit_reached", retryable: false },
  ],
  ["500 without a body", failing(500, ""), { status: 500, retryable: true }],
  [
    "a body that breaks off",
    (_, response) => void response.writeHead(529).write("{", () => response.destroy()),
    { status: 529 },
  ],
  ["no answer", (_, response) => response.destroy(), { retryable: true }],
  [
    "an answer that breaks off",
    (_, response) => void response.writeHead(200).write(STOP.slice(0, 20), () => response.destroy()),
    { retryable: true },
  ],
  [
    "an error in the answer",
    failing(
      200,
      'event: error\ndata: {"type":"error","error":{"type":"overloaded_error","message":"Busy"}}\n\n',
    ),
    { type: "overloaded_error" },
  ],
])("L12 R4 reports past the SDK what the SDK reports: %s", async (_, answer, details) => {
  const { url, received } = await serve(answer);
  const viaSdk = seen(await read(client({ url }, { fetch: nodeFetch() })));
  const past = seen(await read(client({ url })));
  expect(past).toEqual(viaSdk);
  expect(past.details).toMatchObject(details);
  expect(received).toHaveLength(2);
});

it("L12 R4 reports past the SDK a server that does not listen, as the SDK does", async () => {
  const url = "http://127.0.0.1:9";
  const past = seen(await read(client({ url })));
  expect(past).toEqual(seen(await read(client({ url }, { fetch: nodeFetch() }))));
  expect(past.message).toContain("No connection to 127.0.0.1:9");
});

it("L12 R4 gives up after the SDK's ten minutes without an answer", async () => {
  const { url } = await serve(() => undefined);
  const own = global[SHARED] as Dispatcher;
  const limits: number[] = [];
  global[SHARED] = {
    dispatch(options, handler) {
      limits.push(options.headersTimeout);
      return own.dispatch({ ...options, headersTimeout: 1 }, handler);
    },
  };
  onTestFinished(() => {
    global[SHARED] = own;
  });
  const { error } = await read(client({ url }));
  expect(error?.message).toContain("Request timed out.");
  expect(error?.details).toMatchObject({ retryable: true });
  expect(limits).toEqual([600_000]);
});

it.each(["before it is sent", "before it is answered", "within the answer"])(
  "L9 R4 ends a request that is aborted %s with the signal's reason, and closes its connection",
  async (when) => {
    const control = new AbortController();
    const reason = new Error("Never mind.");
    const closed = vi.fn();
    const { url, received } = await serve((_, response) => {
      response.on("close", closed);
      if (when === "within the answer")
        response.writeHead(200).write('event: ping\ndata: {"type":"ping"}\n\n');
      if (when === "before it is answered") control.abort(reason);
    });
    const post = bySdk();
    const stream = client({ url }).stream(hi, { signal: control.signal })[Symbol.asyncIterator]();
    if (when === "before it is sent") control.abort(reason);
    if (when === "within the answer") {
      expect((await stream.next()).value).toEqual({ type: "ping" });
      control.abort(reason);
    }
    await expect(stream.next()).rejects.toBe(reason);
    expect(received).toHaveLength(when === "before it is sent" ? 0 : 1);
    if (received.length > 0) await expect.poll(() => closed.mock.calls.length).toBe(1);
    expect(post.mock.calls.length).toBeLessThanOrEqual(1);
  },
);

it("R4 sends several requests at once, each with its own body and answer", async () => {
  const { url } = await serve(async (_, response, body) => {
    await pause(5 * Math.random(), "answers come in any order");
    const [{ content }] = JSON.parse(body).messages;
    const { text } = content[0];
    const echo = { type: "content_block_start", index: 0, content_block: { type: "text", text } };
    response.writeHead(200).end(`event: content_block_start\ndata: ${JSON.stringify(echo)}\n\n${STOP}`);
  });
  const post = bySdk();
  const model = client({ url });
  const texts = Array.from({ length: 50 }, (_, n) => `text ${n}`);
  const answers = await Promise.all(
    texts.map((text) =>
      read(model, undefined, { ...hi, messages: [{ role: "user", content: [{ type: "text", text }] }] }),
    ),
  );
  expect(answers.map(({ events: [first] }) => first)).toMatchObject(
    texts.map((text) => ({ content_block: { text } })),
  );
  expect(post).not.toHaveBeenCalled();
});
