import { inspect } from "node:util";
import { PawlError } from "@pawl/core";
import { openaiApi, type Reply } from "@pawl/testing";
import { OpenAI } from "openai";
import { afterAll, expect, it } from "vitest";
import { openai } from "../src/index.ts";
import { chunk, client, fixed, read, stream } from "./support.ts";

let reply: Reply = {};
const api = await openaiApi({ rules: () => reply, newId: (prefix) => `${prefix}x` });
afterAll(() => api.close());

const requestId = "req_x";
const invalid = { type: "invalid_request_error", retryable: false, requestId };
const server = { type: "server_error", retryable: true, requestId };
const limited = { type: "tokens", errorCode: "rate_limit_exceeded", retryable: true, requestId };
const failures: [string, Reply, object][] = [
  ["400", { fault: { status: 400 } }, { status: 400, ...invalid }],
  ["401", { fault: { status: 401 } }, { status: 401, ...invalid }],
  ["404", { fault: { status: 404 } }, { status: 404, ...invalid }],
  ["408", { fault: { status: 408 } }, { status: 408, ...invalid, retryable: true }],
  ["429", { fault: { status: 429, retryAfter: 3 } }, { status: 429, ...limited, retryAfterMs: 3000 }],
  ["500", { fault: { status: 500 } }, { status: 500, ...server }],
  ["503", { fault: { status: 503 } }, { status: 503, ...server }],
  [
    "a spent account",
    { fault: { status: 429, type: "insufficient_quota", errorCode: "insufficient_quota" } },
    {
      status: 429,
      type: "insufficient_quota",
      errorCode: "spend_limit_reached",
      retryable: false,
      requestId,
    },
  ],
  [
    "a prompt that is too long",
    { fault: { status: 400, errorCode: "context_length_exceeded" } },
    { status: 400, ...invalid, errorCode: "context_length_exceeded" },
  ],
  ["trouble in the stream", { text: "a", fault: { midStream: "server_error" } }, server],
  ["overload in the stream", { text: "a", fault: { midStream: "overloaded" } }, server],
  ["a refusal in the stream", { text: "a", fault: { midStream: "invalid_request_error" } }, invalid],
  ["a lost connection", { text: "a", fault: { cut: 2 } }, { retryable: true, requestId }],
  ["a stream that ends early", { text: "a", fault: { cut: 2, end: true } }, { retryable: true, requestId }],
  [
    "one that ends before it begins",
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

it("L12 B4 takes a stream for whole that is over but for [DONE]", async () => {
  reply = { text: "a", fault: { cut: 4, end: true } };
  const { events, error } = await read(client(api));
  expect(error).toBeUndefined();
  expect(events.slice(-2)).toMatchObject([{ delta: { stop_reason: "end_turn" } }, { type: "message_stop" }]);
});

it("L12 says what the API said, without the status before it", async () => {
  reply = { fault: { status: 429 } };
  expect((await read(client(api))).error?.message).toBe("Rate limit reached. Please try again later.");
});

it.each([
  ["an object", { error: { message: "Overloaded", type: "overloaded_error" } }, true],
  ["a gateway's status", { error: { message: "Bad gateway", code: 502 } }, true],
  ["a gateway's refusal", { error: { message: "Flagged", code: 403 } }, false],
  ["a text", { error: "out of memory" }, true],
  ["a status as a text", { error: { message: "Bad gateway", code: "502" } }, true],
  ["the request's fault", { error: { message: "No such field", type: "invalid_request_error" } }, false],
])("L12 B4 reads an error within the stream that is %s", async (_title, sent, retryable) => {
  const { events, error } = await stream([chunk({ content: "Half" }), sent]);
  expect(events.at(-1)?.type).toBe("content_block_delta");
  expect(error?.details.retryable).toBe(retryable);
});

it("L12 reads an error event, also in plain text", async () => {
  for (const [data, message] of [
    ['{"error":{"message":"Gone","type":"server_error"}}', "Gone"],
    ["upstream is gone", "upstream is gone"],
  ]) {
    await using at = await fixed(`event: error\ndata: ${data}\n\n`);
    expect((await read(client(at))).error?.message).toBe(message);
  }
});

it("L12 can be retried when nobody listens", async () => {
  const { error } = await read(client({ url: "http://127.0.0.1:1" }));
  expect(error?.code).toBe("model_error");
  expect(error?.details).toEqual({ retryable: true });
});

it("L12 is not retried when no key is set", async () => {
  const saved = process.env.OPENAI_API_KEY;
  process.env.OPENAI_API_KEY = "";
  const { error } = await read(openai("gpt-5.4-mini", { baseURL: api.url }));
  if (saved === undefined) delete process.env.OPENAI_API_KEY;
  else process.env.OPENAI_API_KEY = saved;
  expect(error?.code).toBe("model_error");
  expect(error?.details.retryable).toBe(false);
});

const CHECK = "Check OPENAI_API_KEY, or `apiKey` of openai().";

it("W5 keeps keys out of messages and their causes, also those of other servers", async () => {
  const refusing = async (apiKey: string, said: string) => {
    await using at = await fixed(JSON.stringify({ error: { message: said } }), 401);
    return (await read(client(at, { apiKey }))).error;
  };
  const own = await refusing("sk-proj-secretsecret", "Incorrect API key provided: sk-proj-secretsecret.");
  expect(own?.message).toBe(`Incorrect API key provided: …. ${CHECK}`);
  const masked = await refusing("k", "Incorrect API key provided: sk-proj-********cret.");
  expect(masked?.message).toBe(`Incorrect API key provided: sk-…. ${CHECK}`);
  const other = await refusing("gateway/secret+key", "no such key: gateway/secret+key");
  expect(other?.message).toBe(`no such key: …. ${CHECK}`);
  for (const error of [own, other]) {
    expect(error?.cause).toBeInstanceOf(Error);
    expect(inspect(error, { depth: 10, showHidden: true })).not.toMatch(/secretsecret|secret\+key/);
  }
  const { error: unfit } = await read(client(api, { apiKey: "gateway-secret\nx" }));
  expect([unfit?.message, unfit?.cause].join()).not.toContain("secret");
});

it("W5 keeps a key out that stood in the environment, or in a client", async () => {
  const apiKey = "gateway/secret+key";
  await using at = await fixed(JSON.stringify({ error: { message: `no such key: ${apiKey}` } }), 401);
  const { error } = await read(openai("x", { client: new OpenAI({ apiKey, baseURL: at.url }) }));
  expect(error?.message).toBe("no such key: …");
  const saved = process.env.OPENAI_API_KEY;
  process.env.OPENAI_API_KEY = apiKey;
  const found = await read(openai("x", { baseURL: at.url }));
  if (saved === undefined) delete process.env.OPENAI_API_KEY;
  else process.env.OPENAI_API_KEY = saved;
  expect(found.error?.message).toBe(`no such key: …. ${CHECK}`);
});

it("takes what is no event stream, or half of one, for a cut one", async () => {
  for (const body of ["<html>Bad gateway</html>", 'data: {"choi\n\n', ""]) {
    await using at = await fixed(body);
    expect((await read(client(at))).error?.details).toEqual({ retryable: true });
  }
});

it("L12 says what came instead of an event stream, and whose server to check", async () => {
  await using at = await fixed("<html>Bad gateway</html>", 200, { "content-type": "text/html" });
  const { error } = await read(client(at));
  expect(error?.details).toEqual({ type: "malformed_answer", retryable: true });
  expect(error?.message).toBe(
    `The model's answer is malformed: the server sent text/html instead of text/event-stream. Check that ${new URL(at.url).host} serves the API that openai() expects: OPENAI_BASE_URL, or \`baseURL\` of openai().`,
  );
});
