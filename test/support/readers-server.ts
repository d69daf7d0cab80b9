/**
 * A program: `readers-server.ts <port>`. Serves an agent that writes long answers, and its own cost at
 * `/stats`. Ends with its parent process.
 */
import { createServer } from "node:http";
import type { Socket } from "node:net";
import { agent, jsonSchema, memoryStore, runtime, tool } from "@pawl/core";
import { handler } from "@pawl/sse";
import { nodeListener } from "@pawl/sse/node";
import { scriptedModel } from "@pawl/testing";

const [port = ""] = process.argv.slice(2);
process.stdin.on("end", () => process.exit()).resume();

const TURNS = 10;
const text = "These are some words of an answer that goes on for a while, as answers do. ".repeat(8);
/** The tool's result is long in the first run, which fills the session, and short in later runs. */
let turns = 0;
const page = () => "x".repeat(turns <= TURNS ? 1_000_000 : 10_000);

const look = tool({
  name: "look",
  description: "Returns much.",
  input: jsonSchema({ type: "object" }),
  repeatable: true,
  execute: page,
});
const model = scriptedModel(() => {
  turns += 1;
  const isLast = turns % TURNS === 0;
  return { text, tools: isLast ? [] : [{ name: "look", input: {} }], delayPerEventMs: 2 };
});
const pawl = runtime({
  agents: [agent({ name: "writer", instructions: "Write.", model, tools: [look] })],
  store: memoryStore(),
});
const serve = nodeListener(
  handler({ runtime: pawl, agent: "writer", authorize: () => ({ userId: "u" }), maxStreams: 1_000 }),
);

let peak = 0;
setInterval(() => {
  peak = Math.max(peak, process.memoryUsage.rss());
}, 20);
const sockets = new Set<Socket>();
const server = createServer((request, response) => {
  if (request.url !== "/stats") return serve(request, response);
  // Frees the model's copies of its requests, so that they are not measured.
  model.requests.length = 0;
  global.gc?.();
  const { user, system } = process.cpuUsage();
  const { rss, heapUsed, external } = process.memoryUsage();
  const blocked = [...sockets].filter(({ writableLength }) => writableLength > 0).length;
  response.end(
    JSON.stringify({
      held: heapUsed + external,
      peak: Math.max(peak, rss),
      cpuMs: (user + system) / 1_000,
      blocked,
    }),
  );
  peak = 0;
});
server.on("connection", (socket) => {
  sockets.add(socket);
  socket.on("close", () => sockets.delete(socket));
});
server.listen(Number(port), "127.0.0.1", () => console.log("ready"));
