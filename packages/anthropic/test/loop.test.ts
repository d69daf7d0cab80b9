import { type AgentOptions, agent, memoryStore, type RunOptions, type RunResult, runtime } from "@pawl/core";
import { type MessagesApi, messagesApi, type Reply } from "@pawl/testing";
import { expect, it } from "vitest";
import { claude } from "../src/index.ts";

type Body = { messages: { role: string; content: object[] }[]; [field: string]: unknown };

/** An agent whose model is asked over HTTP. */
async function overHttp(
  script: readonly Reply[],
  { id = "claude-sonnet-5-5", ...claudeOptions }: Parameters<typeof claude>[1] & { id?: string } = {},
  options: Partial<AgentOptions<unknown>> = {},
) {
  const api: MessagesApi = await messagesApi({ script });
  const model = claude(id, { apiKey: "sk-ant-test", baseURL: api.url, ...claudeOptions });
  const made = agent({ name: "tester", instructions: "You are a test.", ...options, model });
  const store = memoryStore();
  const pawl = runtime({ agents: [made], store });
  return {
    api,
    store,
    bodies: () => api.requests.map(({ body }) => body as Body),
    say: (input: string, more: Partial<RunOptions> = {}): Promise<RunResult> =>
      pawl.run("tester", { userId: "u1", input, ...more }).result,
    [Symbol.asyncDispose]: () => api.close(),
  };
}

it("L18 continues a paused answer over HTTP: the API gets back, at the end, the very bytes that it gave", async () => {
  const first = [
    { type: "thinking", thinking: "", signature: "" },
    { type: "text", text: "I search, café ☕." },
    { type: "server_tool_use", id: "srvtoolu_1", name: "web_search", input: { b: 1, a: ["ü", null] } },
  ];
  const result = {
    type: "web_search_tool_result",
    tool_use_id: "srvtoolu_1",
    content: [{ url: "u", x: [1] }],
  };
  const script = [
    { content: first, stop: "pause_turn" },
    { content: [result, { type: "text", text: "Found." }] },
    { text: "Bye." },
  ];
  const tools = [{ type: "web_search_20260318", name: "web_search" }];
  await using at = await overHttp(script, { body: { tools } });
  const { sessionId, stop } = await at.say("Go");
  expect(stop.type).toBe("end_turn");
  await at.say("Thanks", { sessionId });
  expect(at.api.rejected).toEqual([]);
  const [, second, third] = at.bodies();
  const paused = second?.messages.at(-1);
  expect(paused).toMatchObject({ role: "assistant", content: [{ type: "thinking" }, first[1], first[2]] });
  expect(JSON.stringify(paused?.content.slice(1))).toBe(JSON.stringify(first.slice(1)));
  expect(third?.messages.map(({ role }) => role)).toEqual(["user", "assistant", "user"]);
  expect(third?.messages[1]?.content).toEqual([
    ...(paused?.content ?? []),
    result,
    { type: "text", text: "Found." },
  ]);
});
