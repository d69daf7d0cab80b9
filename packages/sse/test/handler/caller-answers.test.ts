import { agent, jsonSchema, memoryStore, runtime, type ToolContext, tool } from "@pawl/core";
import { scriptedModel } from "@pawl/testing";
import { expect, it } from "vitest";
import { handler } from "../../src/index.ts";

const TOKENS = { ada: "tok_ada_4f2c9a7e1b8d6053", ben: "tok_ben_91c3d5e7f9a1b3c5" };
const input = jsonSchema({ type: "object" });

it("F17 over HTTP, an answer that comes while a tool runs brings its caller, token and `deps`, and clients see none", async () => {
  const seen: unknown[] = [];
  const gate = Promise.withResolvers<void>();
  const note = (name: string, { caller, credentials, deps }: ToolContext<unknown>) =>
    void seen.push([name, caller, credentials, deps]);
  const send = tool({
    name: "send",
    description: "Sends a mail, if the user agrees.",
    input,
    suspends: { answer: jsonSchema<boolean>({ type: "boolean" }) },
    execute: (_input, context) => note("send", context),
  });
  const search = tool({
    name: "search",
    description: "Searches for long.",
    input,
    execute: async (_input, context) => {
      await gate.promise;
      note("search", context);
      return `${TOKENS.ada} ${TOKENS.ben}`;
    },
  });
  const calls = ["send", "search"].map((name) => ({ name, input: {} }));
  const clerk = agent({
    name: "clerk",
    model: scriptedModel([{ tools: calls }, { text: "Sent." }]),
    instructions: "You write mails.",
    tools: [send, search],
  });
  const store = memoryStore();
  const pawl = runtime({
    agents: [clerk],
    store,
    deps: (_session, { caller, credentials }) => [caller.name, credentials],
  });
  const serve = handler({
    runtime: pawl,
    agent: clerk,
    authorize: ({ headers }) => {
      const name = headers.get("authorization") as keyof typeof TOKENS;
      return { userId: "team", caller: { name }, credentials: TOKENS[name] };
    },
  });
  const post = async (name: string, json: object) => {
    const headers = { "content-type": "application/json", authorization: name };
    return await serve(
      new Request("http://localhost/runs", { method: "POST", headers, body: JSON.stringify(json) }),
    );
  };
  const first = await post("ada", { input: "Write to Eve" });
  const [{ id: sessionId } = { id: "" }] = await store.sessions.list({ userId: "team" });
  await expect.poll(async () => (await pawl.view(sessionId, { userId: "team" })).pending).toHaveLength(1);
  const { pending } = await pawl.view(sessionId, { userId: "team" });
  const answered = await post("ben", { sessionId, answers: [{ callId: pending[0]?.callId, value: true }] });
  gate.resolve();
  const shown = (await first.text()) + (await answered.text());
  expect(shown).toContain("Sent.");
  expect(shown).not.toMatch(/tok_|"ben"/);
  expect(seen).toEqual([
    ["search", { name: "ada" }, TOKENS.ada, ["ada", TOKENS.ada]],
    ["send", { name: "ben" }, TOKENS.ben, ["ben", TOKENS.ben]],
  ]);
  expect(JSON.stringify(await Array.fromAsync(store.read(sessionId)))).not.toContain("tok_");
});
