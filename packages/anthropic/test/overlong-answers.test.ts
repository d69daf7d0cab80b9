import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { agent, memoryStore, runtime } from "@pawl/core";
import { expect, it } from "vitest";
import { claude } from "../src/index.ts";

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
