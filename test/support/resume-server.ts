/**
 * A program: `resume-server.ts <database> <port>`. Serves an agent over Postgres whose answers are the same
 * in every process. Ends with its parent process.
 */
import { createServer } from "node:http";
import { agent, jsonSchema, runtime, tool } from "@pawl/core";
import { postgresStore, postgresTail } from "@pawl/postgres";
import { handler } from "@pawl/sse";
import { nodeListener } from "@pawl/sse/node";
import { type Reply, scriptedModel } from "@pawl/testing";
import pg from "pg";
import { pause } from "./pause.ts";

const [url = "", port = ""] = process.argv.slice(2);
process.stdin.on("end", () => process.exit()).resume();

const story = "Es war einmal 🙂 ein Bär, der las 漢字 \u0000 in zwei Prozessen. ".repeat(4);
const replies: readonly Reply[] = [
  {
    thinking: "Hm, 🤔 let me see.",
    text: `One. ${story}`,
    tools: [{ name: "look", input: { what: "é".repeat(40) } }],
  },
  {
    text: `Two. ${story}`,
    tools: [
      { name: "look", input: {} },
      { name: "save", input: {} },
    ],
  },
  { text: `Three. ${story}` },
];

const work = (name: string, idempotent: boolean) =>
  tool({
    name,
    description: "Works.",
    input: jsonSchema({ type: "object" }),
    idempotent,
    execute: async (_, { progress }) => {
      for (const percent of [40, 80]) {
        progress({ percent });
        await pause(30, "the time that a tool takes");
      }
      return `${name}ed`;
    },
  });

const pool = new pg.Pool({ connectionString: url, max: 12 });
pool.on("error", () => undefined);
const teller = agent({
  name: "teller",
  instructions: "Tell.",
  tools: [work("look", true), work("save", false)],
  model: scriptedModel(({ messages }) => ({
    ...(replies[messages.filter(({ role }) => role === "assistant").length] ?? { text: "Done." }),
    delayPerEventMs: 6,
  })),
});
const tail = postgresTail(pool, { liveEveryMs: 60, onError: () => undefined });
const pawl = runtime({
  agents: [teller],
  store: postgresStore(pool),
  tail,
  times: { leaseTtlMs: 700, pollMs: 500 },
  onError: () => undefined,
});
await tail.ready;
const serve = handler({
  runtime: pawl,
  agent: "teller",
  authorize: () => ({ userId: "u" }),
  heartbeatMs: 500,
  expose: "all",
});
createServer(nodeListener(serve)).listen(Number(port), "127.0.0.1", () => {
  pawl.start();
  console.log("ready");
});
