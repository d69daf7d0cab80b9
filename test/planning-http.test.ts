// The story of the two Alexes over HTTP and a real Postgres, told by two processes.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { agent, type JsonObject, runtime, tool } from "@pawl/core";
import { planning, recordOf, recordTexts } from "@pawl/planning";
import { migrate, postgresStore } from "@pawl/postgres";
import { handler } from "@pawl/sse";
import { metrics } from "@pawl/sse/dialects";
import { nodeListener } from "@pawl/sse/node";
import { scriptedModel, strictModel } from "@pawl/testing";
import type pg from "pg";
import { afterAll, beforeAll, expect, it, onTestFinished } from "vitest";
import * as z from "zod";
import { type TestDatabase, testDatabase } from "./support/postgres.ts";

let database: TestDatabase;
let pool: pg.Pool;
beforeAll(async () => {
  database = await testDatabase();
  pool = database.pool();
  await migrate(pool);
});
afterAll(async () => await database.drop());

const search = tool({
  name: "search_gmail",
  description: "Searches the mail.",
  input: z.object({ zone: z.string(), query: z.string(), a: z.number() }),
  execute: ({ query }, { report }) => {
    report({ connector: "gmail", costUsd: 0.0023, fragments: ["m1"], summary: "1 mail" });
    return { zone: "x", query, a: 1 };
  },
});

/** A process of its own: another store object, runtime and models. */
async function server() {
  const question = { text: "Which Alex?", about: "Alex" };
  const goal = "Find what Alex says";
  const tasks = [{ id: "mail", title: "Search the mail", tool: "search_gmail" }];
  const small = scriptedModel(({ messages }) => {
    const asked = JSON.stringify(messages);
    if (asked.includes("<ToolCallHistory>"))
      return { tools: [{ name: "review", input: { notes: "Good." } }] };
    const unclear = asked.includes("<Clarifications>") ? {} : { status: "needs_clarification", question };
    return { tools: [{ name: "write_plan", input: { goal, tasks, ...unclear } }] };
  });
  const model = strictModel({
    rules: ({ messages }) => {
      const answers = messages.filter(({ role }) => role === "assistant").length;
      const call = { name: "search_gmail", input: { zone: "z", query: `Q${answers}`, a: 1 } };
      return answers < 3 ? { tools: [call] } : { text: "Alex is glad." };
    },
  });
  const people = [
    { id: "u-17", label: "Alex Chen" },
    { id: "u-23", label: "Alex Moreau" },
  ];
  const { hook, tools } = planning({ model: small, choices: () => people, review: { everyCalls: 3 } });
  const searcher = agent({
    ...{ name: "searcher", instructions: "You search.", model },
    ...{ tools: [search, ...tools], hooks: [hook] },
  });
  const store = postgresStore(pool);
  const serve = handler({
    runtime: runtime({ agents: [searcher], store }),
    agent: "searcher",
    authorize: () => ({ userId: "ada" }),
    dialect: metrics(),
  });
  const http = createServer(nodeListener(serve)).listen(0);
  onTestFinished(() => {
    http.closeAllConnections();
    http.close();
  });
  await new Promise((resolve) => http.once("listening", resolve));
  const url = `http://localhost:${(http.address() as AddressInfo).port}/runs`;
  const post = async (body: object): Promise<JsonObject[]> => {
    const headers = { "content-type": "application/json" };
    const response = await fetch(url, { method: "POST", headers, body: JSON.stringify(body) });
    const lines = (await response.text()).split("\n").filter((line) => line.startsWith("data: "));
    return lines.map((line) => JSON.parse(line.slice(6)) as JsonObject);
  };
  return { post, store, model };
}

it("M2 M4 M5 M8 streams plan, question, calls and review, and another process continues after the answer", async () => {
  const first = await server();
  const asked = await first.post({ message: "What does Alex say about Q4?" });
  expect(asked.map(({ type }) => type)).toEqual(["plan", "clarification", "done"]);
  expect(asked[0]).toMatchObject({ plan: { by: "planner", plan: { status: "needs_clarification" } } });
  expect(asked[1]).toMatchObject({ kind: "clarification", payload: { about: "Alex", attempt: 1 } });
  const { sessionId } = asked[2] as { sessionId: string };
  const callId = asked[1]?.callId;

  const second = await server();
  const told = await second.post({ sessionId, answers: [{ callId, value: { choice: "u-17" } }] });
  // The question of a hook is shown as a call of its own.
  const [answered] = told.splice(0, 1);
  expect(answered).toMatchObject({ type: "metric", toolName: "planning", status: "success" });
  const types = told.map(({ type }) => type).filter((type) => type !== "text");
  expect(types).toEqual(["plan", "metric", "plan", "metric", "metric", "review", "done"]);
  expect(told.find(({ type }) => type === "metric")).toMatchObject({
    ...{ toolName: "search_gmail", connectorId: "gmail", estimatedCostUsd: 0.0023, fragmentsAdded: ["m1"] },
  });
  expect(told.find(({ type }) => type === "review")).toMatchObject({
    review: { reason: "every", notes: "Good." },
  });

  const record = recordOf(await Array.fromAsync(second.store.read(sessionId)));
  expect(record.clarifications).toMatchObject([{ answer: "Alex Chen", status: "resolved" }]);
  expect(recordTexts(record).Plan).toContain("1. [done] mail");
  // The notes were compared with what Postgres returned: no line is said twice.
  const last = JSON.stringify(second.model.requests.at(-1)?.messages);
  expect(second.model.rejected).toEqual([]);
  for (const n of [1, 2, 3]) expect(last.split(`${n}. search_gmail (`)).toHaveLength(2);
});
