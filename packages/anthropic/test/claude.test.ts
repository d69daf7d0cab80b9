import { getEventListeners } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { Anthropic } from "@anthropic-ai/sdk";
import { currentModels, type MessagesApi, messagesApi, type Reply } from "@pawl/testing";
import { afterAll, expect, it } from "vitest";
import { settled } from "../../../test/support/settled.ts";
import { until } from "../../../test/support/until.ts";
import { claude } from "../src/index.ts";
import { client, hi, read } from "./support.ts";

let reply: Reply = {};
const api: MessagesApi = await messagesApi({ rules: () => reply });
afterAll(() => api.close());

it("yields text and a tool call, pings and the request id", async () => {
  reply = { text: "Let me look.", tools: [{ name: "look", input: { at: "x" }, id: "toolu_1" }] };
  const { events, error } = await read(client(api));
  expect(error).toBeUndefined();
  // In how many pieces the input comes depends on the packets.
  const types = events.map(({ type }) => type);
  expect(types.filter((type, at) => type !== "content_block_delta" || type !== types[at - 1])).toEqual([
    "message_start",
    "content_block_start",
    "ping",
    "content_block_delta",
    "content_block_stop",
    "content_block_start",
    "content_block_delta",
    "content_block_stop",
    "message_delta",
    "message_stop",
  ]);
  expect(events[0]).toMatchObject({
    request_id: expect.stringMatching(/^req_01/),
    message: { role: "assistant" },
  });
  expect(events.filter(({ type }) => type === "content_block_start")[1]).toMatchObject({
    content_block: { type: "tool_use", id: "toolu_1", input: {} },
  });
  expect(events.at(-2)).toMatchObject({ delta: { stop_reason: "tool_use" } });
});

it("sends the request as it is, with what the options add", async () => {
  reply = { text: "." };
  const thinking = { type: "adaptive", display: "summarized" } as const;
  const format = { type: "json_schema", schema: { type: "object", additionalProperties: false } };
  const model = client(api, {
    thinking,
    effort: "low",
    body: { metadata: { user_id: "u" }, output_config: { format } },
  });
  await read(model, undefined, { ...hi, toolChoice: { type: "none" } });
  expect(api.requests.at(-1)?.body).toEqual({
    model: "claude-sonnet-5-5",
    max_tokens: 100,
    system: hi.system,
    tools: hi.tools,
    messages: hi.messages,
    tool_choice: { type: "none" },
    thinking,
    output_config: { effort: "low", format },
    metadata: { user_id: "u" },
    stream: true,
  });
  await read(model, undefined, { ...hi, system: [], tools: [] });
  expect(api.requests.at(-1)?.body).not.toHaveProperty("system");
  expect(api.requests.at(-1)?.body).not.toHaveProperty("tools");
  expect(api.rejected).toEqual([]);
});

it.each([
  [4_096, 2_000, 2_000],
  [3_000, 8_000, 1_500],
  [2_048, 2_048, 1_024],
  [2_047, 8_000, undefined],
])(
  "L14 sends max_tokens %i, which a limit may have cut, with a budget for thinking of %i below it",
  async (maxTokens, budget_tokens, sent) => {
    reply = { text: "." };
    const model = claude("claude-opus-4-5", {
      apiKey: "k",
      baseURL: api.url,
      thinking: { type: "enabled", budget_tokens },
    });
    await read(model, undefined, { ...hi, maxTokens });
    const body = api.requests.at(-1)?.body as { thinking?: { budget_tokens: number } };
    expect(body.thinking?.budget_tokens).toBe(sent);
    expect(api.rejected).toEqual([]);
  },
);

it("L18 passes unknown blocks and stop reasons through", async () => {
  reply = { content: [{ type: "future_block", data: [1] }], stop: "future_reason" };
  const { events } = await read(client(api));
  expect(events[1]).toEqual({
    type: "content_block_start",
    index: 0,
    content_block: { type: "future_block", data: [1] },
  });
  expect(events.at(-2)).toMatchObject({ delta: { stop_reason: "future_reason" } });
});

it("uses a client of your own, without its retries", async () => {
  reply = { fault: { status: 529 } };
  const before = api.requests.length;
  const own = new Anthropic({ apiKey: "k", baseURL: api.url, maxRetries: 5 });
  const { error } = await read(client(api, { client: own }));
  expect(error?.details.status).toBe(529);
  expect(api.requests.length - before).toBe(1);
});

it("L9 throws the signal's reason when aborted in the stream", async () => {
  reply = { text: "Hello", fault: { stall: 3 } };
  const stop = new AbortController();
  const seen: string[] = [];
  const reading = async () => {
    for await (const { type } of client(api).stream(hi, { signal: stop.signal })) {
      // The server sends nothing more, so the stream waits for it when the signal aborts.
      if (seen.push(type) === 3) void settled().then(() => stop.abort(new Error("enough")));
    }
  };
  await expect(reading()).rejects.toThrow("enough");
  expect(seen).toHaveLength(3);
});

it("L9 throws the signal's reason when aborted before the answer", async () => {
  reply = { latencyMs: 60_000 };
  const stop = new AbortController();
  const asked = api.requests.length;
  void until(() => api.requests.length > asked).then(() => stop.abort("deadline"));
  expect((await read(client(api), stop.signal)).error).toBe("deadline");
  const before = api.requests.length;
  expect((await read(client(api), AbortSignal.abort("early"))).error).toBe("early");
  expect(api.requests.length).toBe(before);
});

it("L9 leaves no listener on the signal and no connection behind", async () => {
  let closed = 0;
  const server = createServer((_request, response) => {
    response.on("close", () => {
      closed += 1;
    });
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.write(
      'event: message_start\ndata: {"type":"message_start","message":{"id":"m","model":"x"}}\n\n',
    );
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const { signal } = new AbortController();
  for await (const event of client({ url }).stream(hi, { signal })) {
    expect(event.type).toBe("message_start");
    break;
  }
  expect(getEventListeners(signal, "abort")).toEqual([]);
  await expect.poll(() => closed).toBe(1);
  server.close();
});

it("uses one connection for turn after turn, and does not wait for a body that never ends", async () => {
  const stop = 'event: message_stop\ndata: {"type":"message_stop"}\n\n';
  let connections = 0;
  let ends = true;
  let closed = 0;
  const server = createServer((_request, response) => {
    response.on("close", () => {
      closed += 1;
    });
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.write(stop);
    if (ends) setTimeout(() => response.end(), 10);
  });
  server.on("connection", () => {
    connections += 1;
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const model = client({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` });
  for (let n = 0; n < 3; n += 1) {
    expect((await read(model)).events).toEqual([{ type: "message_stop" }]);
    await until(() => closed === n + 1);
    await settled();
  }
  expect(connections).toBe(1);
  ends = false;
  expect((await read(model)).events).toEqual([{ type: "message_stop" }]);
  server.closeAllConnections();
  server.close();
});

it.each([
  ["claude-opus-4-8", {}, true],
  ["claude-haiku-4-5-20251001", {}, true],
  ["claude-opus-4-8", { thinking: { type: "disabled" } }, true],
  ["claude-opus-4-8", { thinking: { type: "adaptive" } }, false],
  ["claude-opus-4-8", { body: { thinking: { type: "enabled", budget_tokens: 2000 } } }, false],
  ["claude-opus-5-5", {}, false],
  ["claude-fable-5-2", {}, false],
  ["claude-of-the-future", {}, false],
  ["claude-of-the-future", { forcedToolChoice: true }, true],
] as const)("L11 knows whether %s with %j can be forced to call a tool: %s", (id, options, expected) => {
  expect(claude(id, { apiKey: "k", ...options }).forcedToolChoice).toBe(expected);
});

it("L11 forces no model that the API would not have forced", () => {
  for (const [id, { forcedToolChoice }] of Object.entries(currentModels)) {
    if (claude(id, { apiKey: "k" }).forcedToolChoice) expect([id, forcedToolChoice]).toEqual([id, true]);
  }
});
