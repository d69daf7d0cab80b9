import { createHash } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { claude } from "@pawl/anthropic";
import { agent, memoryFiles, memoryStore, runtime } from "@pawl/core";

// Measures a session with twenty pictures, one in each message: the bytes on the wire, in the log and in
// memory, and whether each request begins with the bytes of the one before. The server runs here, too.

const size = Number(process.argv[2] ?? 700_000);
const MB = 1_000_000;

/** A PNG of a photo's size, with noise behind its header. */
function picture(seed: number): Uint8Array {
  const bytes = Buffer.alloc(size);
  for (let at = 40; at + 4 <= size; at += 4)
    bytes.writeUInt32LE(Math.imul(at ^ seed, 2_654_435_761) >>> 0, at);
  Buffer.from("iVBORw0KGgoAAAANSUhEUg", "base64").copy(bytes);
  bytes.writeUInt32BE(1_600, 16);
  bytes.writeUInt32BE(1_200, 20);
  return bytes;
}

const answer = [
  {
    type: "message_start",
    message: {
      ...{ id: "msg_1", type: "message", role: "assistant", model: "claude-sonnet-5-5", content: [] },
      ...{ stop_reason: null, stop_sequence: null, usage: { input_tokens: 10, output_tokens: 1 } },
    },
  },
  { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
  { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "I see." } },
  { type: "content_block_stop", index: 0 },
  {
    type: "message_delta",
    delta: { stop_reason: "end_turn", stop_sequence: null },
    usage: { output_tokens: 3 },
  },
  { type: "message_stop" },
].map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);

const bodies: number[] = [];
let before: { length: number; hash: string } | undefined;
let kept = 0;
const hashOf = (text: string) => createHash("sha256").update(text).digest("hex");
const server = createServer(async (request, response) => {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  const body = Buffer.concat(chunks);
  bodies.push(body.length);
  const text = body.toString();
  const messages = text
    .slice(0, text.lastIndexOf('],"system"'))
    .replaceAll(',"cache_control":{"type":"ephemeral"}', "");
  if (before !== undefined && hashOf(messages.slice(0, before.length)) === before.hash) kept += 1;
  before = { length: messages.length, hash: hashOf(messages) };
  response.writeHead(200, { "content-type": "text/event-stream" }).end(answer.join(""));
});
await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));

const baseURL = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
const model = claude("claude-sonnet-5-5", { apiKey: "none", baseURL });
const store = memoryStore();
const files = memoryFiles();
const looker = agent({ name: "looker", model, instructions: "You look at pictures." });
const pawl = runtime({ agents: [looker], store, files });
let sessionId: string | undefined;
let peak = 0;
for (let seed = 1; seed <= 20; seed += 1) {
  const input = [
    { type: "file" as const, data: picture(seed) },
    { type: "text" as const, text: "What is this?" },
  ];
  const run = pawl.run("looker", { userId: "ada", ...(sessionId !== undefined && { sessionId }), input });
  ({ sessionId } = await run.result);
  peak = Math.max(peak, process.memoryUsage().rss);
}
const log = JSON.stringify(await Array.fromAsync(store.read(sessionId ?? "")));
const stored = (await files.list()).reduce((sum, file) => sum + file.size, 0);
const mb = (bytes: number | undefined) => `${((bytes ?? 0) / MB).toFixed(1)} MB`;
console.log("| 20 pictures | |");
console.log("| --- | --- |");
console.log(`| each | ${mb(size)} |`);
console.log(`| in the file store | ${mb(stored)} |`);
console.log(`| in the log | ${(log.length / 1_000).toFixed(0)} kB |`);
console.log(`| on the wire, last request | ${mb(bodies.at(-1))} |`);
console.log(
  `| on the wire, all ${bodies.length} requests | ${mb(bodies.reduce((sum, one) => sum + one, 0))} |`,
);
console.log(`| requests that begin with the one before | ${kept} of ${bodies.length - 1} |`);
console.log(`| memory at its peak (RSS) | ${mb(peak)} |`);
server.closeAllConnections();
server.close();
