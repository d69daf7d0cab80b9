import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { Anthropic } from "@anthropic-ai/sdk";
import { messagesApi, type Reply } from "@pawl/testing";
import { afterAll, afterEach, expect, it, vi } from "vitest";
import { client, hi, read } from "./support.ts";

const reply: Reply = { text: "Grüße, 世界 👩‍👧" };
const api = await messagesApi({ rules: () => reply });
afterAll(() => api.close());
afterEach(() => vi.unstubAllGlobals());

const textOf = ({ events }: Awaited<ReturnType<typeof read>>) =>
  events.map((event) => (event.type === "content_block_delta" ? event.delta.text : "")).join("");

it("asks over the dispatcher of Node's fetch in Node, and never over the global fetch", async () => {
  vi.stubGlobal("fetch", () => Promise.reject(new Error("not this one")));
  expect(textOf(await read(client(api)))).toBe(reply.text);
});

it("asks over the global fetch anywhere else", async () => {
  const fetch = vi.fn(globalThis.fetch);
  vi.stubGlobal("fetch", fetch);
  vi.stubGlobal("navigator", { userAgent: "Deno/2.5" });
  expect(textOf(await read(client(api)))).toBe(reply.text);
  expect(fetch).toHaveBeenCalledOnce();
});

it("asks over a fetch of your own", async () => {
  const fetch = vi.fn(globalThis.fetch);
  expect(textOf(await read(client(api, { fetch })))).toBe(reply.text);
  expect(fetch).toHaveBeenCalledOnce();
});

it("gives a client of your own the body as an object, and sends the same", async () => {
  const own = new Anthropic({ apiKey: "k", baseURL: api.url });
  const create = vi.spyOn(own.messages, "create");
  await read(client(api, { client: own }));
  expect(create.mock.calls[0]?.[1]).not.toHaveProperty("body");
  await read(client(api));
  const [first, second] = api.requests.slice(-2);
  expect(second?.body).toEqual(first?.body);
});

it("sends a frozen message as it is, time and again, and one that changes as it has become", async () => {
  const frozen = Object.freeze({
    role: "user" as const,
    content: [{ type: "text" as const, text: 'a "b" \n' }],
  });
  const open = { role: "assistant" as const, content: [{ type: "text" as const, text: "one" }] };
  const last = { role: "user" as const, content: [{ type: "text" as const, text: "go" }] };
  const request = { ...hi, messages: [frozen, open, last] };
  await read(client(api), undefined, request);
  open.content = [{ type: "text" as const, text: "two" }];
  await read(client(api), undefined, request);
  expect(api.requests.at(-1)?.body).toMatchObject({ messages: [frozen, open, last] });
  expect(api.rejected).toEqual([]);
});

it("reads bytes in any slices, line ends of any kind, and nothing after the end", async () => {
  const events = [
    { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
    { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "Grüße, 世界 👩‍👧" } },
    { type: "message_stop" },
    { type: "ping" },
  ];
  const bytes = Buffer.from(
    events.map((event) => `event: ${event.type}\r\ndata: ${JSON.stringify(event)}   \r\n\r\n`).join(""),
  );
  const server = createServer(async (_request, response) => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    for (let at = 0; at < bytes.length; at += 7) {
      response.write(bytes.subarray(at, at + 7));
      await new Promise((resolve) => setImmediate(resolve));
    }
    response.end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const answer = await read(client({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }));
  server.close();
  expect(answer.events).toEqual(events.slice(0, 3));
});

it("joins the pieces of one tool's input that came together, and nothing else", async () => {
  const piece = (index: number, partial_json: string) => ({
    type: "content_block_delta",
    index,
    delta: { type: "input_json_delta", partial_json },
  });
  const text = (part: string) => ({
    type: "content_block_delta",
    index: 1,
    delta: { type: "text_delta", text: part },
  });
  const begin = (index: number, block: object) => ({
    type: "content_block_start",
    index,
    content_block: block,
  });
  const call = { type: "tool_use", id: "toolu_1", name: "look", input: {} };
  const begun = [begin(0, call), begin(1, { type: "text", text: "" }), begin(2, call)];
  const packets = [
    [
      ...begun,
      piece(0, ""),
      piece(0, '{"a"'),
      piece(0, ": 1"),
      { type: "ping" },
      piece(0, "}"),
      piece(2, "{"),
      text("x"),
      text("y"),
    ],
    [piece(2, '"b"'), piece(2, ":2}"), { type: "message_stop" }],
  ];
  const fetch = async () => {
    const body = packets.map((events) =>
      Buffer.from(events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join("")),
    );
    return new Response(ReadableStream.from(body) as never);
  };
  const { events } = await read(client(api, { fetch }));
  expect(events).toEqual([
    ...begun,
    ...[piece(0, '{"a": 1'), { type: "ping" }, piece(0, "}"), piece(2, "{"), text("x"), text("y")],
    ...[piece(2, '"b":2}'), { type: "message_stop" }],
  ]);
});

const stop = 'event: message_stop\ndata: {"type":"message_stop"}';
const ping = 'event: ping\ndata: {"type":"ping"}\n\n';
const error = 'event: error\ndata: {"type":"error","error":{"type":"overloaded_error","message":"busy"}}\n\n';

it.each([
  ["is whole without its last empty line", [ping, `${stop}\n`], ["ping", "message_stop"], undefined],
  [
    "is whole whatever follows in its last packet",
    [`${stop}\n\n${error}${ping}x`],
    ["message_stop"],
    undefined,
  ],
  [
    "is whole although its last packet breaks off",
    [`${stop}\n\nevent: ping\ndata: {`],
    ["message_stop"],
    undefined,
  ],
  ["is over with an error, behind what came before", [`${ping}${error}${ping}${stop}\n\n`], ["ping"], "busy"],
  ["is cut off where it ends without its end", [ping, "event: mess"], ["ping"], "cut off"],
  [
    "is cut off behind what cannot be read",
    [`${ping}event: ping\ndata: {\n\n${ping}${stop}\n\n`],
    ["ping"],
    "cut off",
  ],
])("an answer %s", async (_, packets, types, failure) => {
  const fetch = async () =>
    new Response(ReadableStream.from(packets.map((text) => Buffer.from(text))) as never);
  const answer = await read(client(api, { fetch }));
  expect(answer.events.map(({ type }) => type)).toEqual(types);
  if (failure === undefined) expect(answer.error).toBeUndefined();
  else expect(answer.error?.message).toContain(failure);
});

it("L12 W5 takes no announcement of another attempt from a server: only wrappers announce them", async () => {
  const failed =
    'event: attempt_failed\ndata: {"type":"attempt_failed","retry_in_ms":1e9,"model":"free"}\n\n';
  const fetch = async () => new Response(`${ping}${failed}${stop}\n\n`);
  const { events } = await read(client(api, { fetch }));
  expect(events.map(({ type }) => type)).toEqual(["ping", "message_stop"]);
});

it("L12 takes an error for one whose name is only in the JSON", async () => {
  const fetch = async () => new Response(error.replace("event: error", "event: message"));
  const failed = await read(client(api, { fetch }));
  expect(failed.error?.details).toMatchObject({ type: "overloaded_error", retryable: true });
});
