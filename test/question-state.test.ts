import { agent, jsonSchema, memoryStore, runtime, type ToolContext, tool } from "@pawl/core";
import { handler } from "@pawl/sse";
import { scriptedModel } from "@pawl/testing";
import { expect, it } from "vitest";

it("W5 T4 clients read the question that a tool asks while it runs, but not its state", async () => {
  const asks = tool({
    name: "asks",
    description: "",
    input: jsonSchema({ type: "object" }),
    execute: (_, { ask }: ToolContext) =>
      ask({
        kind: "sure",
        payload: { about: "this" },
        answer: jsonSchema({ type: "boolean" }),
        state: "hidden-state",
      }),
  });
  const model = scriptedModel([{ tools: [{ name: "asks", id: "c1", input: {} }] }]);
  const asker = agent({ name: "asker", model, instructions: "You ask.", tools: [asks] });
  const store = memoryStore();
  const pawl = runtime({ agents: [asker], store });
  const serve = handler({ runtime: pawl, agent: asker, authorize: async () => ({ userId: "ada" }) });
  const headers = { "content-type": "application/json" };
  const body = JSON.stringify({ input: "Go" });
  const sent = await (await serve(new Request("http://x/runs", { method: "POST", headers, body }))).text();
  const [session] = await store.sessions.list({ userId: "ada" });
  const page = await (await serve(new Request(`http://x/sessions/${session?.id}`))).text();
  for (const text of [sent, page]) {
    expect(text).toContain("sure");
    expect(text).not.toContain("hidden-state");
  }
  const log = await Array.fromAsync(store.read(session?.id ?? ""));
  expect(JSON.stringify(log)).toContain("hidden-state");
});
