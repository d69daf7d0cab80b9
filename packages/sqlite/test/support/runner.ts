/**
 * Run as a process of its own: `runner.ts <path>`. Begins a run, prints the session's id once a tool has run,
 * and then hangs in its model's second answer.
 */
import { agent, runtime, tool } from "@pawl/core";
import { nodeSqlite, sqliteStore } from "@pawl/sqlite";
import { scriptedModel } from "@pawl/testing";
import * as z from "zod";

const look = tool({ name: "look", description: "Looks.", input: z.object({}), execute: () => "found" });
let sessionId = "";
const model = scriptedModel((_request, turn) => {
  if (turn === 0) return { tools: [{ name: "look" }] };
  console.log(sessionId);
  return new Promise(() => undefined);
});
const walker = agent({ name: "walker", model, instructions: "Walk.", tools: [look] });
const store = sqliteStore(nodeSqlite(process.argv[2] ?? ""));
const pawl = runtime({ agents: [walker], store, times: { leaseTtlMs: 500 } });
const run = pawl.run(walker, { userId: "ada", input: "Walk" });
sessionId = (await run.started).sessionId;
await run.result;
