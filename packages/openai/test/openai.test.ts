import { getEventListeners } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { openaiApi, type Reply } from "@pawl/testing";
import { OpenAI } from "openai";
import { afterAll, expect, it } from "vitest";
import { settled } from "../../../test/support/settled.ts";
import { until } from "../../../test/support/until.ts";
import { blocksOf, chunk, client, hi, read, stopOf } from "./support.ts";

let reply: Reply = {};
const api = await openaiApi({ rules: () => reply });
afterAll(() => api.close());

it("yields text, calls, usage and the request id", async () => {
  const tools = ["x", "y"].map((at) => ({ name: "look", input: { at } }));
  reply = { text: "Let me look.", tools, usage: { input_tokens: 9, output_tokens: 5 } };
  const { events, error } = await read(client(api));
  expect(error).toBeUndefined();
  expect(events[0]).toMatchObject({
    request_id: expect.stringMatching(/^req_/),
    message: { id: expect.stringMatching(/^chatcmpl-/), model: "gpt-5.4-mini" },
  });
  expect(blocksOf(events)).toMatchObject([
    { type: "text", text: "Let me look." },
    { type: "tool_use", id: expect.stringMatching(/^call_/), name: "look", text: '{"at": "x"}' },
    { type: "tool_use", id: expect.stringMatching(/^call_/), name: "look", text: '{"at": "y"}' },
  ]);
  expect(stopOf(events)).toBe("tool_use");
  expect(events.at(-2)).toMatchObject({ usage: { input_tokens: 9, output_tokens: 5 } });
});

it("uses a client of your own, without its retries", async () => {
  reply = { fault: { status: 503 } };
  const before = api.requests.length;
  const own = new OpenAI({ apiKey: "k", baseURL: api.url, maxRetries: 5 });
  const { error } = await read(client(api, { client: own }));
  expect(error?.details.status).toBe(503);
  expect(api.requests.length - before).toBe(1);
});

it("uses a fetch of your own", async () => {
  reply = { text: "Hi" };
  const asked: string[] = [];
  const own = (url: string | URL | Request, init?: RequestInit) => {
    asked.push(String(url));
    return fetch(url, init);
  };
  expect((await read(client(api, { fetch: own }))).error).toBeUndefined();
  expect(asked).toEqual([`${api.url}/chat/completions`]);
});

it("L9 throws the signal's reason when aborted in the stream", async () => {
  reply = { text: "Hello", fault: { stall: 2 } };
  const stop = new AbortController();
  const seen: string[] = [];
  const reading = async () => {
    for await (const { type } of client(api).stream(hi, { signal: stop.signal })) {
      seen.push(type);
      // The server sends nothing more, so the stream waits for it when the signal aborts.
      if (type === "content_block_delta") void settled().then(() => stop.abort(new Error("enough")));
    }
  };
  await expect(reading()).rejects.toThrow("enough");
  expect(seen.at(-1)).toBe("content_block_delta");
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

/** A server of which connections and their ends are counted. */
async function counting(ends: () => boolean) {
  const at = { connections: 0, closed: 0, url: "" };
  const server = createServer((_request, response) => {
    response.on("close", () => {
      at.closed += 1;
    });
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.write(`data: ${JSON.stringify(chunk({ content: "Hi" }, "stop"))}\n\n`);
    if (ends()) response.write("data: [DONE]\n\n", () => setTimeout(() => response.end(), 10));
  });
  server.on("connection", () => {
    at.connections += 1;
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  at.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return Object.assign(at, { [Symbol.asyncDispose]: async () => void server.close() });
}

it("L9 leaves no listener on the signal and no connection behind", async () => {
  await using at = await counting(() => false);
  const { signal } = new AbortController();
  for await (const event of client(at).stream(hi, { signal })) {
    expect(event.type).toBe("message_start");
    break;
  }
  expect(getEventListeners(signal, "abort")).toEqual([]);
  await expect.poll(() => at.closed).toBe(1);
});

it("uses one connection for turn after turn", async () => {
  await using at = await counting(() => true);
  const model = client(at);
  for (let n = 0; n < 3; n += 1) {
    expect((await read(model)).events.at(-1)?.type).toBe("message_stop");
    await until(() => at.closed === n + 1);
    await settled();
  }
  expect(at.connections).toBe(1);
});
