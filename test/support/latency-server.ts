/**
 * A program: `latency-server.ts <store> <model's url> <port>`. Serves an agent over `memory`, or over `sqlite`
 * in a file; `sqlite-alone` commits each write by itself. Its processor time and its commits so far are at
 * `/stats`. Ends with its parent process.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { claude } from "@pawl/anthropic";
import { agent, type EventStore, memoryStore, runtime } from "@pawl/core";
import { nodeSqlite, sqliteStore } from "@pawl/sqlite";
import { handler } from "@pawl/sse";
import { nodeListener } from "@pawl/sse/node";

const [name = "", baseURL = "", port = ""] = process.argv.slice(2);
const folder = mkdtempSync(join(tmpdir(), "pawl-latency-"));
process.on("exit", () => rmSync(folder, { recursive: true }));
process.stdin.on("end", () => process.exit()).resume();

let commits = 0;
const pawl = runtime({
  agents: [
    agent({
      name: "writer",
      instructions: "Write.",
      model: claude("claude-sonnet-5-5", { baseURL, apiKey: "test" }),
    }),
  ],
  store: storeOf(name),
});
const serve = nodeListener(handler({ runtime: pawl, agent: "writer", authorize: () => ({ userId: "u" }) }));

createServer((request, response) => {
  if (request.url !== "/stats") return serve(request, response);
  const { user, system } = process.cpuUsage();
  response.end(JSON.stringify({ cpuMs: (user + system) / 1_000, commits }));
}).listen(Number(port), "127.0.0.1", () => console.log("ready"));

function storeOf(kind: string): EventStore {
  if (kind === "memory") return memoryStore();
  const db = nodeSqlite(join(folder, "log.db"));
  return sqliteStore({
    ...db,
    groupCommit: kind === "sqlite",
    transaction(work) {
      commits += 1;
      return db.transaction(work);
    },
  });
}
