import type { ContentBlock, Message, ModelRequest, ToolChoice } from "@pawl/core";
import type { TextBlock } from "@pawl/core/model";
import { openaiApi } from "@pawl/testing";
import { afterAll, expect, it } from "vitest";
import { type OpenAIOptions, openai } from "../src/index.ts";
import { client, hi, read } from "./support.ts";

type Body = { messages: { role: string; content: unknown }[]; [field: string]: unknown };
const api = await openaiApi({ rules: () => ({ text: "." }) });
afterAll(() => api.close());

/** The body that a request becomes; the server takes every one of them. */
async function sent(
  changes: Partial<ModelRequest> = {},
  options: OpenAIOptions & { id?: string } = {},
): Promise<Body> {
  const { id = "gpt-5.4-mini", ...more } = options;
  const model = openai(id, { apiKey: "k", baseURL: api.url, ...more });
  const { error } = await read(model, undefined, { ...hi, ...changes });
  expect(error).toBeUndefined();
  return api.requests.at(-1)?.body as Body;
}

const text = (value: string): ContentBlock => ({ type: "text", text: value });
const use = (id: string, input: object = {}): ContentBlock => ({
  type: "tool_use",
  id,
  name: "look",
  input: input as never,
});
const result = (tool_use_id: string, content: string | ContentBlock[], more: object = {}): ContentBlock =>
  ({ type: "tool_result", tool_use_id, content, ...more }) as ContentBlock;
const user = (...content: ContentBlock[]): Message => ({ role: "user", content });
const assistant = (...content: ContentBlock[]): Message => ({ role: "assistant", content });
const mark = { cache_control: { type: "ephemeral" } };

it("sends the request in the words of Chat Completions", async () => {
  const [tool] = hi.tools;
  const body = await sent({
    system: [{ ...text("Be brief."), ...mark }, text("The user is Ada.")] as TextBlock[],
    tools: [{ ...tool!, ...mark }],
    messages: [user({ ...text("Hi"), ...mark })],
  });
  expect(body).toEqual({
    model: "gpt-5.4-mini",
    messages: [
      { role: "system", content: "Be brief.\n\nThe user is Ada." },
      { role: "user", content: "Hi" },
    ],
    tools: [
      { type: "function", function: { name: "look", description: "Looks.", parameters: tool?.input_schema } },
    ],
    max_completion_tokens: 100,
    stream_options: { include_usage: true },
    stream: true,
  });
});

it("sends calls and their results, failures in words, the user's words behind them", async () => {
  const { messages } = await sent({
    messages: [
      user(text("Go")),
      assistant(text("So:"), use("toolu_1", { at: "x" }), use("toolu_2")),
      user(
        result("toolu_1", "rain"),
        result("toolu_2", "no such place", { is_error: true }),
        text("And?"),
        text("Now?"),
      ),
      assistant(use("toolu_3")),
      user(result("toolu_3", [text("a"), text("b")])),
      assistant(use("toolu_4")),
      user(result("toolu_4", "")),
    ],
  });
  const call = (id: string, args = "{}") => ({
    id,
    type: "function",
    function: { name: "look", arguments: args },
  });
  expect(messages.slice(1)).toEqual([
    { role: "user", content: "Go" },
    { role: "assistant", content: "So:", tool_calls: [call("toolu_1", '{"at":"x"}'), call("toolu_2")] },
    { role: "tool", tool_call_id: "toolu_1", content: "rain" },
    { role: "tool", tool_call_id: "toolu_2", content: "Error: no such place" },
    { role: "user", content: "And?\n\nNow?" },
    { role: "assistant", content: null, tool_calls: [call("toolu_3")] },
    { role: "tool", tool_call_id: "toolu_3", content: "a\n\nb" },
    { role: "assistant", content: null, tool_calls: [call("toolu_4")] },
    { role: "tool", tool_call_id: "toolu_4", content: "(no output)" },
  ]);
});

/** A PNG of one pixel. */
const DOT =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==";

it("F1 sends PDFs with a name and texts as text, and those of results behind all results", async () => {
  const pdf = Buffer.from("%PDF-1.7\n").toString("base64");
  const source = { type: "base64", media_type: "application/pdf", data: pdf };
  const notes = {
    type: "document" as const,
    source: { type: "text", media_type: "text/plain", data: "Eggs." },
  };
  const { messages } = await sent({
    messages: [
      user(
        { type: "document", source, title: "plan.pdf" },
        { ...notes, title: "list.txt" },
        notes,
        text("Hm?"),
      ),
      assistant(use("toolu_1")),
      user(result("toolu_1", [text("Found."), { type: "document", source }, notes])),
    ],
  });
  const file = (filename: string) => ({
    type: "file",
    file: { filename, file_data: `data:application/pdf;base64,${pdf}` },
  });
  expect(messages[1]?.content).toEqual([
    file("plan.pdf"),
    text("list.txt:\n\nEggs."),
    text("Eggs."),
    text("Hm?"),
  ]);
  expect(messages.slice(3)).toEqual([
    { role: "tool", tool_call_id: "toolu_1", content: "Found.\n\n(A PDF, see below.)\n\nEggs." },
    { role: "user", content: [text("Files of the result of toolu_1:"), file("document.pdf")] },
  ]);
});

it("F1 reads images and PDFs if the model is OpenAI's own, or if the application says so", () => {
  expect(openai("gpt-5.4-mini").reads).toEqual(["image", "pdf"]);
  expect(openai("qwen3", { baseURL: "http://localhost:1/v1" }).reads).toEqual([]);
  expect(openai("qwen3", { reads: ["image"] }).reads).toEqual(["image"]);
});

it("sends images of users where they stand, and those of results behind all results", async () => {
  const base64 = { type: "image" as const, source: { type: "base64", media_type: "image/png", data: DOT } };
  const byUrl = { type: "image" as const, source: { type: "url", url: "https://example.com/a.png" } };
  const { messages } = await sent({
    messages: [
      user(text("See"), byUrl),
      assistant(use("toolu_1"), use("toolu_2")),
      user(result("toolu_1", [text("A map."), base64]), result("toolu_2", "ok")),
    ],
  });
  const image = (url: string) => ({ type: "image_url", image_url: { url } });
  expect(messages[1]?.content).toEqual([text("See"), image("https://example.com/a.png")]);
  expect(messages.slice(3)).toEqual([
    { role: "tool", tool_call_id: "toolu_1", content: "A map.\n\n(An image, see below.)" },
    { role: "tool", tool_call_id: "toolu_2", content: "ok" },
    {
      role: "user",
      content: [text("Images of the result of toolu_1:"), image(`data:image/png;base64,${DOT}`)],
    },
  ]);
});

it("leaves out what no other model can read, and messages of which nothing is left", async () => {
  const thinking = { type: "thinking" as const, thinking: "Hm.", signature: "s" };
  const { messages } = await sent({
    messages: [
      user(text("Go")),
      assistant(thinking, { type: "redacted_thinking", data: "x" }),
      user(text("On")),
      assistant(thinking, text("Let me."), { type: "server_tool_use", id: "srv", name: "web", input: {} }),
      user({ type: "document", source: {} }),
    ],
  });
  expect(messages.slice(1)).toEqual([
    { role: "user", content: "Go" },
    { role: "user", content: "On" },
    { role: "assistant", content: "Let me." },
    { role: "user", content: "(Content of type document is left out.)" },
  ]);
});

it("shortens ids of calls that are too long, the same way in every request", async () => {
  const long = `toolu_${"x".repeat(60)}`;
  const before = [
    user(text("Go")),
    assistant(use("toolu_1"), use(long)),
    user(result("toolu_1", "a"), result(long, "b")),
  ];
  const first = await sent({ messages: before });
  const second = await sent({
    messages: [...before, assistant(use(`${long}2`)), user(result(`${long}2`, "c"))],
  });
  expect(second.messages.slice(0, first.messages.length)).toEqual(first.messages);
  const ids = second.messages.flatMap((message) => (message as { tool_call_id?: string }).tool_call_id ?? []);
  expect(ids).toEqual(["toolu_1", "call_number_2", "call_number_3"]);
});

it.each<[ToolChoice, object]>([
  [{ type: "auto" }, { tool_choice: "auto" }],
  [
    { type: "any", disable_parallel_tool_use: true },
    { tool_choice: "required", parallel_tool_calls: false },
  ],
  [{ type: "tool", name: "look" }, { tool_choice: { type: "function", function: { name: "look" } } }],
  [{ type: "none" }, { tool_choice: "none" }],
])("L11 sends the choice %j as %j, and none without tools", async (toolChoice, expected) => {
  expect(await sent({ toolChoice })).toMatchObject(expected);
  const without = await sent({ toolChoice, tools: [] });
  for (const field of ["tools", "tool_choice", "parallel_tool_calls"])
    expect(without).not.toHaveProperty(field);
});

it.each([
  ["gpt-5.6-sol", "none"],
  ["gpt-5.6-luna-2026-07-01", "none"],
  ["gpt-6-sol", "none"],
  ["gpt-6-luna", "none"],
  ["gpt-5.4-mini", undefined],
  ["qwen3", undefined],
])(
  "sends tools to %s with the effort %s, which is the only one that it takes them with",
  async (id, effort) => {
    expect((await sent({}, { id })).reasoning_effort).toBe(effort);
    expect(await sent({ tools: [] }, { id })).not.toHaveProperty("reasoning_effort");
  },
);

it("sends what the options say", async () => {
  const body = await sent(
    { tools: [] },
    {
      id: "qwen3",
      reasoningEffort: "low",
      maxTokensField: "max_tokens",
      systemRole: "developer",
      body: { seed: 7, stream_options: undefined },
    },
  );
  expect(body).toEqual({
    model: "qwen3",
    messages: [expect.objectContaining({ role: "developer" }), { role: "user", content: "Hi" }],
    max_tokens: 100,
    reasoning_effort: "low",
    seed: 7,
    stream: true,
  });
  expect((await sent({ system: [] })).messages).toHaveLength(1);
});

it("says that a tool has no properties, as OpenAI wants to be told", async () => {
  const bare = { name: "look", description: "Looks.", input_schema: { type: "object" } };
  expect((await sent({ tools: [bare] })).tools).toMatchObject([
    { function: { parameters: { type: "object", properties: {} } } },
  ]);
});

it("L11 says which models can be forced to call a tool, and what they cost, if it knows", () => {
  const known = client(api);
  expect([known.forcedToolChoice, known.pricing?.output]).toEqual([true, 4.5]);
  const local = openai("llama-4", { apiKey: "k" });
  expect([local.forcedToolChoice, local.pricing]).toEqual([false, undefined]);
  expect(openai("llama-4", { apiKey: "k", forcedToolChoice: true }).forcedToolChoice).toBe(true);
  const dated = openai("gpt-5.4-mini-2026-03-17", { apiKey: "k" });
  expect(dated.pricing).toEqual(known.pricing);
  expect(openai("constructor", { apiKey: "k" }).pricing).toBeUndefined();
});
