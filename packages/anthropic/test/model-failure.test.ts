import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { PawlError } from "@pawl/core";
import { messagesApi, type Reply } from "@pawl/testing";
import { afterAll, expect, it } from "vitest";
import { client, hi, read } from "./support.ts";

let reply: Reply = {};
const api = await messagesApi({ rules: () => reply, newId: (prefix) => `${prefix}x` });
afterAll(() => api.close());

const requestId = "req_01x";
const failures: [string, Reply, object][] = [
  [
    "400",
    { fault: { status: 400 } },
    { status: 400, type: "invalid_request_error", retryable: false, requestId },
  ],
  [
    "401",
    { fault: { status: 401 } },
    { status: 401, type: "authentication_error", retryable: false, requestId },
  ],
  ["402", { fault: { status: 402 } }, { status: 402, type: "billing_error", retryable: false, requestId }],
  ["403", { fault: { status: 403 } }, { status: 403, type: "permission_error", retryable: false, requestId }],
  ["404", { fault: { status: 404 } }, { status: 404, type: "not_found_error", retryable: false, requestId }],
  [
    "408",
    { fault: { status: 408, type: "timeout_error" } },
    { status: 408, type: "timeout_error", retryable: true, requestId },
  ],
  ["409", { fault: { status: 409 } }, { status: 409, type: "conflict_error", retryable: true, requestId }],
  [
    "413",
    { fault: { status: 413 } },
    {
      status: 413,
      type: "request_too_large",
      errorCode: "context_length_exceeded",
      retryable: false,
      requestId,
    },
  ],
  [
    "429",
    { fault: { status: 429, retryAfter: 3 } },
    { status: 429, type: "rate_limit_error", retryable: true, retryAfterMs: 3000, requestId },
  ],
  ["500", { fault: { status: 500 } }, { status: 500, type: "api_error", retryable: true, requestId }],
  ["529", { fault: { status: 529 } }, { status: 529, type: "overloaded_error", retryable: true, requestId }],
  [
    "an enforced spend limit",
    { fault: { status: 429, errorCode: "enforced_spend_limit_reached" } },
    {
      status: 429,
      type: "rate_limit_error",
      errorCode: "enforced_spend_limit_reached",
      retryable: false,
      requestId,
    },
  ],
  [
    "a contract's spend limit",
    { fault: { status: 429, errorCode: "contract_spend_limit_reached" } },
    {
      status: 429,
      type: "rate_limit_error",
      errorCode: "contract_spend_limit_reached",
      retryable: false,
      requestId,
    },
  ],
  [
    "your own spend limit",
    {
      fault: {
        status: 400,
        message: "You have reached your specified API usage limits. You will regain access later.",
      },
    },
    {
      status: 400,
      type: "invalid_request_error",
      errorCode: "own_spend_limit_reached",
      retryable: false,
      requestId,
    },
  ],
  [
    "L18 a prompt that is too long",
    { fault: { status: 400, message: "prompt is too long: 214032 tokens > 200000 maximum" } },
    {
      status: 400,
      type: "invalid_request_error",
      errorCode: "context_length_exceeded",
      retryable: false,
      requestId,
    },
  ],
  [
    "overload in the stream",
    { text: "a", fault: { midStream: "overloaded" } },
    { type: "overloaded_error", retryable: true, requestId },
  ],
  [
    "api_error in the stream",
    { text: "a", fault: { midStream: "api_error" } },
    { type: "api_error", retryable: true, requestId },
  ],
  [
    "a refusal in the stream",
    { text: "a", fault: { midStream: "invalid_request_error" } },
    { type: "invalid_request_error", retryable: false, requestId },
  ],
  ["a lost connection", { text: "a", fault: { cut: 2 } }, { retryable: true, requestId }],
  ["a stream that ends early", { text: "a", fault: { cut: 2, end: true } }, { retryable: true, requestId }],
  [
    "a stream that ends before it begins",
    { text: "a", fault: { cut: 0, end: true } },
    { retryable: true, requestId },
  ],
];

it.each(failures)("L12 throws model_error for %s", async (_title, next, details) => {
  reply = next;
  const { error } = await read(client(api));
  expect(PawlError.is(error, "model_error")).toBe(true);
  expect(error?.details).toEqual(details);
});

it("L12 says what the API said", async () => {
  reply = { fault: { status: 529 } };
  expect((await read(client(api))).error?.message).toBe("Overloaded");
  const { error } = await read(client(api), undefined, { ...hi, messages: [] });
  expect(error?.message).toBe("messages: at least one message is required");
});

it("L12 can be retried when nobody listens", async () => {
  const { error } = await read(client({ url: "http://127.0.0.1:1" }));
  expect(error?.code).toBe("model_error");
  expect(error?.details).toEqual({ retryable: true });
});

it("L12 is not retried when no key is set", async () => {
  const saved = process.env.ANTHROPIC_API_KEY;
  process.env.ANTHROPIC_API_KEY = "";
  const { claude } = await import("@pawl/anthropic");
  const { error } = await read(claude("claude-sonnet-5-5", { baseURL: api.url }));
  if (saved === undefined) delete process.env.ANTHROPIC_API_KEY;
  else process.env.ANTHROPIC_API_KEY = saved;
  expect(error?.code).toBe("model_error");
  expect(error?.details.retryable).toBe(false);
});

/** Serves one fixed answer. */
async function fixed(
  status: number,
  headers: Record<string, string>,
  body: string,
): Promise<PawlError | undefined> {
  const server = createServer((_request, response) => response.writeHead(status, headers).end(body));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { error } = await read(client({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }));
  server.close();
  return error;
}

it("reads every form of retry-after", async () => {
  const wait = async (headers: Record<string, string>): Promise<unknown> =>
    (await fixed(429, headers, "{}"))?.details.retryAfterMs;
  expect(await wait({ "retry-after-ms": "250", "retry-after": "9" })).toBe(250);
  expect(await wait({ "retry-after": "1.5" })).toBe(1500);
  expect(await wait({ "retry-after": "soon" })).toBeUndefined();
  expect(await wait({})).toBeUndefined();
  const date = await wait({ "retry-after": new Date(Date.now() + 60_000).toUTCString() });
  expect(date).toBeGreaterThan(50_000);
  expect(await wait({ "retry-after": new Date(0).toUTCString() })).toBe(0);
});

it("follows x-should-retry", async () => {
  expect((await fixed(500, { "x-should-retry": "false" }, "{}"))?.details.retryable).toBe(false);
  expect((await fixed(400, { "x-should-retry": "true" }, "{}"))?.details.retryable).toBe(true);
});

it("W5 keeps the key out of every message", async () => {
  const error = await fixed(
    401,
    {},
    JSON.stringify({ error: { type: "authentication_error", message: "bad key sk-ant-secret" } }),
  );
  expect(error?.message).toBe("bad key …. Check ANTHROPIC_API_KEY, or `apiKey` of claude().");
  expect(JSON.stringify(error?.details)).not.toContain("sk-ant-secret");
});

it("W5 keeps keys that are no header, and those of other gateways, out of the message", async () => {
  const { error: unfit } = await read(client(api, { apiKey: "gateway-secret\nx" }));
  expect(unfit?.message).toContain("invalid header value");
  expect(unfit?.message).not.toContain("secret");
  const echoed = await fixed(401, {}, JSON.stringify({ error: { message: `no Bearer ${"s".repeat(32)}` } }));
  expect(echoed?.message).toBe("no Bearer …. Check ANTHROPIC_API_KEY, or `apiKey` of claude().");
});

it("L12 says what came instead of an event stream, and whose server to check", async () => {
  const html = await fixed(200, { "content-type": "text/html" }, "<html>Bad gateway</html>");
  expect(html?.details).toEqual({ type: "malformed_answer", retryable: true });
  expect(html?.message).toMatch(
    /^The model's answer is malformed: the server sent text\/html instead of text\/event-stream\. Check that 127\.0\.0\.1:\d+ serves the API that claude\(\) expects: ANTHROPIC_BASE_URL, or `baseURL` of claude\(\)\.$/,
  );
});

it("takes half of an event stream for a cut one", async () => {
  const half = await fixed(
    200,
    { "content-type": "text/event-stream" },
    'event: message_start\ndata: {"type":"mess\n\n',
  );
  expect(half?.details).toEqual({ retryable: true });
});
