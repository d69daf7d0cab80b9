import {
  type AgentOptions,
  agent,
  memoryStore,
  type RunOptions,
  type RunResult,
  runtime,
  tool,
} from "@pawl/core";
import { type MessagesApi, messagesApi, type Reply } from "@pawl/testing";
import { expect, it } from "vitest";
import * as z from "zod";
import { expectPrinted } from "../../../test/support/printed.ts";
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
  await using at = await overHttp(script, { serverTools: tools });
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

const echo = tool({
  name: "echo",
  description: "Says it again.",
  input: z.object({ text: z.string() }),
  execute: ({ text }) => text,
});
const idle = tool({
  name: "idle",
  description: "Ends.",
  input: z.object({}),
  execute: () => "",
  endsRun: true,
});
const toolOnly = { toolOnly: true, tools: [echo, idle] };
const single = (type: string) => ({ type, disable_parallel_tool_use: true });

it("L11 forces one tool a turn over HTTP where the model takes that, and runs the first of several", async () => {
  const calls = ["a", "b"].map((text) => ({ name: "echo", input: { text } }));
  await using at = await overHttp(
    [{ tools: calls }, { tools: [{ name: "idle" }] }],
    { id: "claude-opus-4-8" },
    toolOnly,
  );
  const { stop, actions } = await at.say("Go");
  expect(stop.type).toBe("terminal_tool");
  expect(actions.map(({ success }) => success)).toEqual([true, false, true]);
  expect(at.bodies().map(({ tool_choice }) => tool_choice)).toEqual([single("any"), single("any")]);
  expect(at.api.rejected).toEqual([]);
});

it("L11 E3 ends a forced answer without a call over HTTP as a logged error at once", async () => {
  expectPrinted("pawl: The model answered without calling a tool.");
  await using at = await overHttp([{ text: "No." }], { id: "claude-opus-4-8" }, toolOnly);
  const { sessionId, stop } = await at.say("Go");
  expect(stop.type).toBe("error");
  expect((await at.store.sessions.get(sessionId))?.status).toBe("error");
});

it("L11 reminds a model over HTTP that refuses forced choice, once, and then ends as an error", async () => {
  expectPrinted("pawl: The model answered without calling a tool.");
  const script = [{ text: "No." }, { text: "No!" }, { tools: [{ name: "idle" }] }];
  await using at = await overHttp(script, { id: "claude-opus-5-5" }, toolOnly);
  const { sessionId, stop } = await at.say("Go");
  expect(stop.type).toBe("error");
  expect((await at.say("Now", { sessionId })).stop.type).toBe("terminal_tool");
  expect(at.api.rejected).toEqual([]);
  expect(at.bodies().map(({ tool_choice }) => tool_choice)).toEqual(Array(3).fill(single("auto")));
  expect(JSON.stringify(at.bodies()[1])).toContain("without calling a tool");
});

it("L11 shows what happens to a model that is forced against its nature", async () => {
  expectPrinted('pawl: tool_choice: type "tool" and "any" are not supported for this model.');
  const forced = { id: "claude-opus-5-5", forcedToolChoice: true };
  await using at = await overHttp([], forced, toolOnly);
  expect((await at.say("Go")).stop.type).toBe("error");
  expect(at.api.rejected.map(({ error }) => error.message)).toEqual([
    'tool_choice: type "tool" and "any" are not supported for this model.',
  ]);
});
