import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { agent, memoryStore, runtime } from "@pawl/core";
import { expect, it } from "vitest";
import { claude } from "../src/index.ts";
import { client, read } from "./support.ts";

const event = (type: string, data: object) =>
  `event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`;

it("L8 O1 a server that ignores max_tokens is hung up on, and the run ends by its limit", async () => {
  const closed = Promise.withResolvers<void>();
  const server = createServer((_request, response) => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.write(event("message_start", { message: { id: "m", model: "m", usage: { input_tokens: 10 } } }));
    response.write(event("content_block_start", { index: 0, content_block: { type: "text", text: "" } }));
    const piece = event("content_block_delta", {
      index: 0,
      delta: { type: "text_delta", text: "word ".repeat(50) },
    });
    const writing = setInterval(() => response.write(piece), 1);
    response.on("close", () => {
      clearInterval(writing);
      closed.resolve();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const baseURL = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const model = claude("claude-sonnet-5-5", { apiKey: "k", baseURL });
  const limits = { outputTokens: 500, costUsd: 0.05 };
  const made = agent({ name: "a", model, instructions: "Go.", limits });
  const pawl = runtime({ agents: [made], store: memoryStore() });
  const { stop, usage } = await pawl.run("a", { userId: "u", input: "Hi" }).result;
  expect([stop.type, usage.outputTokens]).toEqual(["token_limit", 500]);
  await closed.promise;
  server.close();
});

async function eventsOf(messages: readonly string[]) {
  const headers = { "content-type": "text/event-stream" };
  const fetch = async () => new Response(messages.join(""), { headers });
  return await read(client({ url: "http://localhost" }, { fetch }));
}

it("B7 shortens an answer's id, model and stop reason, and keeps only the counts of a long usage", async () => {
  const long = "E".repeat(100_000);
  const counts = { input_tokens: 5, output_tokens: 1 };
  const { events } = await eventsOf([
    event("message_start", { message: { id: long, model: long, usage: { ...counts, [long]: 1 } } }),
    event("message_delta", {
      delta: { stop_reason: long, stop_sequence: long },
      usage: { ...counts, service_tier: long },
    }),
    event("message_stop", {}),
  ]);
  const short = "E".repeat(1_000);
  expect(events).toEqual([
    { type: "message_start", message: { id: short, model: short, usage: counts } },
    { type: "message_delta", delta: { stop_reason: short, stop_sequence: short }, usage: counts },
    { type: "message_stop" },
  ]);
});

it("B7 keeps fields of a usage that Pawl does not know, as long as it is short", async () => {
  const usage = { input_tokens: 5, output_tokens: 1, server_tool_use: { web_search_requests: 1 } };
  const { events } = await eventsOf([
    event("message_start", { message: { id: "m", model: "m", usage } }),
    event("message_delta", { delta: { stop_reason: "end_turn" }, usage }),
    event("message_stop", {}),
  ]);
  expect(events[0]).toMatchObject({ message: { usage } });
  expect(events[1]).toMatchObject({ usage });
});

it("B7 keeps 200 characters of each field of a failure besides its message", async () => {
  const long = "E ".repeat(50_000);
  const { error } = await eventsOf([event("error", { error: { type: long, message: long } })]);
  expect(error?.details).toMatchObject({ type: "E ".repeat(100) });
  expect(error?.message.length).toBeLessThanOrEqual(2_000);
});
