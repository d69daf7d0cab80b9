// What a hostile caller can send to toolHandler(). More is in `tool-handler.test.ts`.
import { once } from "node:events";
import { connect } from "node:net";
import { jsonSchema, tool } from "@pawl/core";
import { toolHandler } from "@pawl/remote/server";
import { expect, it, vi } from "vitest";
import * as z from "zod";
import { settled } from "../../../../test/support/settled.ts";
import { jsonOf, served } from "../support/served.ts";

const ran = vi.fn();
const tree = tool({
  name: "tree",
  description: "",
  input: jsonSchema({ type: "object", properties: { n: { $ref: "#" } } }),
  execute: (input, { userId, idempotencyKey }) => {
    ran();
    return { userId, idempotencyKey, fields: Object.keys(input as object) };
  },
});
const onError = vi.fn();
const serve = toolHandler({
  tools: [tree],
  authorize: ({ headers }) => (headers.get("authorization") === "Bearer of-ada" ? { userId: "ada" } : null),
  onError,
});
const HEADERS = { authorization: "Bearer of-ada", "content-type": "application/json" };

async function send(
  body: string,
  headers: Record<string, string> = {},
  path = "/tools/execute",
  method = "POST",
) {
  ran.mockClear();
  onError.mockClear();
  const init = { method, headers: { ...HEADERS, ...headers }, ...(body !== "" && { body }) };
  const response = await serve(new Request(`http://h${path}`, init));
  expect(onError).not.toHaveBeenCalled();
  return { status: response.status, text: await response.text(), times: ran.mock.calls.length };
}

const call = (input: string) => `{"tool_name":"tree","tool_input":${input}}`;

it.each<[string, number, string, Record<string, string>?, string?, string?]>([
  ["an input of 50,000 levels", 422, call(`${'{"n":'.repeat(50_000)}{}${"}".repeat(50_000)}`)],
  ["an input of 50,001 values", 422, call(`{"n":[${Array(50_000).fill("{}").join(",")}]}`)],
  ["a body of 200,000 levels", 400, "[".repeat(200_000) + "]".repeat(200_000)],
  ["a name in the prototype", 400, '{"__proto__":{"tool_name":"tree","tool_input":{}}}'],
  ["a tool named like a method", 404, '{"tool_name":"toString","tool_input":{}}'],
  ["an empty body", 400, ""],
  ["null", 400, "null"],
  ["another type that mentions JSON", 415, call("{}"), { "content-type": "text/plain;application/json" }],
  ["two keys", 400, call("{}"), { "idempotency-key": "a, b" }],
  ["a long key", 400, call("{}"), { "idempotency-key": "a".repeat(256) }],
  ["a token without its scheme", 401, call("{}"), { authorization: "of-ada" }],
  ["OPTIONS", 405, "", {}, "/tools/execute", "OPTIONS"],
  ["HEAD of a route for POST", 405, "", {}, "/tools/execute", "HEAD"],
  ["an escaped path", 404, "", {}, "/tools%2Fschema", "GET"],
  ["two slashes", 404, "", {}, "//tools/schema", "GET"],
])(
  "T10 refuses %s with %i, runs nothing, and reports no error of the server",
  async (_, status, body, ...more) => {
    const refused = await send(body, ...more);
    expect([refused.status, refused.times]).toEqual([status, 0]);
    expect(refused.text.length).toBeLessThan(1_000);
  },
);

it("T10 does not repeat a long name", async () => {
  const { status, text } = await send(JSON.stringify({ tool_name: "x".repeat(900_000), tool_input: {} }));
  expect([status, text.length < 300]).toEqual([404, true]);
});

it("T10 takes the user from authorize only, and fields of a prototype as fields", async () => {
  const body = '{"tool_name":"tree","tool_input":{"__proto__":{"x":1}},"user_id":"bo","userId":"bo"}';
  const { text } = await send(body, { "x-user-id": "bo", "idempotency-key": "k1" });
  expect(JSON.parse(text).result).toEqual({ userId: "ada", idempotencyKey: "k1", fields: ["__proto__"] });
});

it("T10 asks authorize before it reads a body", async () => {
  let pulled = 0;
  const body = new ReadableStream({
    pull: (controller) => {
      pulled += 1;
      controller.enqueue(new Uint8Array(100_000));
    },
  });
  const init = { method: "POST", headers: { ...HEADERS, authorization: "no" }, body, duplex: "half" };
  expect((await serve(new Request("http://h/tools/execute", init as RequestInit))).status).toBe(401);
  expect(pulled).toBeLessThan(3);
});

it("T10 stops reading a body that never ends, and says that the connection closes", async () => {
  const body = new ReadableStream({ pull: (controller) => controller.enqueue(new Uint8Array(100_000)) });
  const init = { method: "POST", headers: HEADERS, body, duplex: "half" };
  const response = await serve(new Request("http://h/tools/execute", init as RequestInit));
  expect([response.status, response.headers.get("connection")]).toEqual([413, "close"]);
});

it("T10 two calls with one key both reach the tool, which decides by it", async () => {
  const [one, other] = await Promise.all([
    send(call("{}"), { "idempotency-key": "k1" }),
    send(call('{"n":{}}'), { "idempotency-key": "k1" }),
  ]);
  expect([one, other].map(({ text }) => JSON.parse(text).result)).toMatchObject([
    { idempotencyKey: "k1", fields: [] },
    { idempotencyKey: "k1", fields: ["n"] },
  ]);
});

it("T10 a client that leaves while it sends its body is no error of the server", async () => {
  onError.mockClear();
  const port = Number(new URL(await served(serve)).port);
  const socket = connect(port, "127.0.0.1");
  const head = Object.entries({ host: "h", ...HEADERS, "content-length": "100" });
  socket.write(
    `POST /tools/execute HTTP/1.1\r\n${head.map((pair) => `${pair.join(": ")}\r\n`).join("")}\r\n{`,
  );
  await once(socket, "connect");
  await settled();
  socket.destroy();
  await once(socket, "close");
  await settled();
  expect(onError).not.toHaveBeenCalled();
});

it("T10 L9 a call that is abandoned or has too large a result keeps what its tool reported", async () => {
  const costly = tool({
    name: "costly",
    description: "",
    input: z.object({ hangs: z.boolean() }),
    execute: ({ hangs }, { report }) => {
      report({ costUsd: 0.5, connector: "stats" });
      return hangs ? new Promise<string>(() => undefined) : "x".repeat(2_000);
    },
  });
  const limited = toolHandler({
    tools: [costly],
    authorize: () => ({ userId: "ada" }),
    timeoutMs: 20,
    maxResultBytes: 1_000,
  });
  const report = { cost_usd: 0.5, connector: "stats" };
  for (const [hangs, status, code] of [
    [true, 504, "timed_out"],
    [false, 200, "result_too_large"],
  ]) {
    const body = JSON.stringify({ tool_name: "costly", tool_input: { hangs } });
    const init = { method: "POST", headers: HEADERS, body };
    const response = await limited(new Request("http://h/tools/execute", init));
    expect([response.status, await jsonOf(response)]).toMatchObject([status, { error: { code }, report }]);
  }
});
