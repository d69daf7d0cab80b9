import { openaiApi, validateChatRequest } from "@pawl/testing";
import { OpenAI } from "openai";
import { afterAll, expect, it } from "vitest";

type Body = { [field: string]: unknown };
const api = await openaiApi({ rules: () => ({ text: "Hi." }), apiKeys: ["key"] });
afterAll(() => api.close());

const user: Body = { role: "user", content: "Hi" };
const call = (id: string, name = "look"): Body => ({
  id,
  type: "function",
  function: { name, arguments: "{}" },
});
const calling = (...ids: string[]): Body => ({
  role: "assistant",
  content: null,
  tool_calls: ids.map((id) => call(id)),
});
const answer = (tool_call_id: string, content: unknown = "ok"): Body => ({
  role: "tool",
  tool_call_id,
  content,
});
const look = (more: Body = {}): Body => ({
  type: "function",
  function: { name: "look", parameters: { type: "object", properties: {} }, ...more },
});
const dotUrl =
  "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==";
const pdfUrl = (content: string) => `data:application/pdf;base64,${Buffer.from(content).toString("base64")}`;
const image = { type: "image_url", image_url: { url: "https://example.com/a.png" } };
const said = (...messages: Body[]): Body => ({ messages });

/** Sends a valid request but for `changes` through the SDK, and says what came back. */
async function send(changes: Body, apiKey = "key") {
  const sdk = new OpenAI({ apiKey, baseURL: api.url, maxRetries: 0 });
  const body = { model: "gpt-5.4-mini", messages: [user], ...changes };
  try {
    return await sdk.chat.completions.create(body as never as OpenAI.ChatCompletionCreateParamsNonStreaming);
  } catch (error) {
    if (!(error instanceof OpenAI.APIError)) throw error;
    const { message } = error.error as { message: string };
    return { status: error.status, param: error.param, code: error.code, message };
  }
}

it.each<[string, Body]>([
  ["one message", {}],
  [
    "every role",
    {
      tools: [look()],
      messages: [
        { role: "system", content: "S" },
        { role: "developer", content: [{ type: "text", text: "D" }] },
        user,
        calling("a", "b"),
        answer("b"),
        answer("a", [{ type: "text", text: "." }]),
        { role: "assistant", content: "Done." },
      ],
    },
  ],
  ["calls of tools that are gone", said(user, calling("a"), answer("a"))],
  ["an image", said({ role: "user", content: [image, { type: "text", text: "What?" }] })],
  [
    "an image in its address",
    said({
      role: "user",
      content: [{ type: "image_url", image_url: { url: dotUrl, detail: "low" } }],
    }),
  ],
  [
    "a PDF with its name",
    said({
      role: "user",
      content: [{ type: "file", file: { filename: "a.pdf", file_data: pdfUrl("%PDF-1.7") } }],
    }),
  ],
  [
    "a forced tool",
    {
      tools: [look()],
      tool_choice: { type: "function", function: { name: "look" } },
      parallel_tool_calls: false,
    },
  ],
  [
    "a strict tool",
    {
      tools: [
        look({
          strict: true,
          parameters: {
            type: "object",
            properties: { a: { type: "string" } },
            required: ["a"],
            additionalProperties: false,
          },
        }),
      ],
    },
  ],
  ["an empty text", said({ role: "user", content: "" }, { role: "assistant", content: "" })],
  ["tools without reasoning", { model: "gpt-6-sol", reasoning_effort: "none", tools: [look()] }],
  [
    "anything of a model of others",
    { model: "llama-4", max_tokens: 9, temperature: 0.2, reasoning_effort: "high", tools: [look()] },
  ],
])("takes %s", async (_title, changes) => {
  expect(await send(changes)).toMatchObject({
    choices: [{ message: { content: "Hi." }, finish_reason: "stop" }],
  });
});

const nested = (properties: object) => ({ tools: [look({ parameters: { type: "object", properties } })] });
it.each<[string, Body, string | RegExp, string | null]>([
  ["no messages", { messages: undefined }, "Missing required parameter: 'messages'.", "messages"],
  ["an empty list of messages", { messages: [] }, /^Invalid 'messages': empty array/, "messages"],
  ["an unknown field", { cache_control: {} }, "Unrecognized request argument supplied: cache_control", null],
  [
    "an unknown field within",
    said({ ...user, cache_control: {} }),
    "Unknown parameter: 'messages[0].cache_control'.",
    "messages[0].cache_control",
  ],
  [
    "an unknown role",
    said({ role: "bot", content: "x" }),
    /^Invalid value: 'bot'. Supported values are: 'system', /,
    "messages[0].role",
  ],
  [
    "a user who says nothing",
    said({ role: "user", content: null }),
    "Invalid value for 'content': expected a string, got null.",
    "messages.[0].content",
  ],
  [
    "content that is a number",
    said({ role: "user", content: 7 }),
    "Invalid type for 'messages[0].content': expected one of a string or array of objects, but got an integer instead.",
    "messages[0].content",
  ],
  ["an empty list of content", said({ role: "user", content: [] }), /empty array/, "messages[0].content"],
  [
    "a part of another API",
    said({ role: "user", content: [{ type: "thinking", thinking: "x" }] }),
    /^Invalid value: 'thinking'/,
    "messages[0].content[0].type",
  ],
  [
    "an assistant who says nothing",
    said(user, { role: "assistant", content: null }),
    "Invalid value for 'content': expected a string, got null.",
    "messages.[1].content",
  ],
  [
    "an empty list of calls",
    said(user, { role: "assistant", content: "x", tool_calls: [] }),
    /empty array/,
    "messages[1].tool_calls",
  ],
  [
    "arguments that are no text",
    said(user, { role: "assistant", tool_calls: [{ ...call("a"), function: { name: "x", arguments: {} } }] }),
    /^Invalid type for 'messages\[1\].tool_calls\[0\].function.arguments'/,
    "messages[1].tool_calls[0].function.arguments",
  ],
  [
    "an id that is too long",
    said(user, calling("x".repeat(41)), answer("x".repeat(41))),
    /maximum length 40, but got a string with length 41/,
    "messages[1].tool_calls[0].id",
  ],
  [
    "an image whose bytes are no picture",
    said({
      role: "user",
      content: [{ type: "image_url", image_url: { url: "data:image/png;base64,AAAA" } }],
    }),
    /^You uploaded an unsupported image/,
    "messages[0].content[0].image_url.url",
  ],
  [
    "a PDF without a name",
    said({ role: "user", content: [{ type: "file", file: { file_data: pdfUrl("%PDF-1.7") } }] }),
    "Missing required parameter: 'messages[0].content[0].file.filename'.",
    "messages[0].content[0].file.filename",
  ],
  [
    "bytes that are no PDF",
    said({
      role: "user",
      content: [{ type: "file", file: { filename: "a.pdf", file_data: pdfUrl("Hello") } }],
    }),
    /Expected a base64-encoded data URL with a PDF/,
    "messages[0].content[0].file.file_data",
  ],
  [
    "an image of a tool",
    said(user, calling("a"), answer("a", [image])),
    /^Invalid 'messages\[2\]'. Image URLs are only allowed/,
    "messages[2]",
  ],
  [
    "an answer without a call",
    said(user, answer("a")),
    "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.",
    "messages.[1].role",
  ],
  [
    "an answer to another call",
    said(user, calling("a"), answer("b")),
    "Invalid parameter: 'tool_call_id' of 'b' not found in 'tool_calls' of previous message.",
    "messages.[2].tool_call_id",
  ],
  [
    "a second answer",
    said(user, calling("a"), answer("a"), answer("a")),
    /^Invalid parameter: 'tool_call_id' of 'a' not found/,
    "messages.[3].tool_call_id",
  ],
  [
    "a call without its answer",
    said(user, calling("a", "b"), answer("a"), user),
    /did not have response messages: b$/,
    "messages.[3].role",
  ],
  ["a call at the end", said(user, calling("a")), /did not have response messages: a$/, "messages.[2].role"],
  [
    "two calls of one id",
    said(user, calling("a", "a"), answer("a")),
    /^Duplicate value for 'tool_call_id' of 'a'/,
    "messages.[1].tool_calls",
  ],
  [
    "an answer behind a word of the user's",
    said(user, calling("a"), user, answer("a")),
    /did not have response messages: a$/,
    "messages.[2].role",
  ],
  ["an empty list of tools", { tools: [] }, /empty array/, "tools"],
  [
    "more than 128 tools",
    { tools: Array.from({ length: 129 }, (_, n) => look({ name: `t${n}` })) },
    /maximum length 128/,
    "tools",
  ],
  ["a bad name", { tools: [look({ name: "a b" })] }, /does not match pattern/, "tools[0].function.name"],
  ["a long name", { tools: [look({ name: "x".repeat(65) })] }, /maximum length 64/, "tools[0].function.name"],
  ["two tools of one name", { tools: [look(), look()] }, /unique/, "tools"],
  [
    "a schema that is no object",
    { tools: [look({ parameters: { type: "string" } })] },
    /must be a JSON Schema of 'type: "object"', got 'type: "string"'/,
    "tools[0].function.parameters",
  ],
  [
    "a schema with a choice at the top",
    { tools: [look({ parameters: { type: "object", properties: {}, anyOf: [] } })] },
    /not have 'oneOf'/,
    "tools[0].function.parameters",
  ],
  [
    "a schema without properties",
    { tools: [look({ parameters: { type: "object" } })] },
    "Invalid schema for function 'look': In context=(), object schema missing properties.",
    "tools[0].function.parameters",
  ],
  [
    "a list without items",
    nested({ a: { type: "array" } }),
    "Invalid schema for function 'look': In context=('properties', 'a'), array schema missing items.",
    "tools[0].function.parameters",
  ],
  [
    "a strict tool that is open",
    { tools: [look({ strict: true })] },
    /'additionalProperties' is required/,
    "tools[0].function.parameters",
  ],
  [
    "a choice without tools",
    { tool_choice: "auto" },
    "Invalid value for 'tool_choice': 'tool_choice' is only allowed when 'tools' are specified.",
    "tool_choice",
  ],
  [
    "parallel calls without tools",
    { parallel_tool_calls: false },
    /only allowed when 'tools' are specified/,
    "parallel_tool_calls",
  ],
  [
    "a choice of another API",
    { tools: [look()], tool_choice: "any" },
    /^Invalid value: 'any'/,
    "tool_choice",
  ],
  [
    "the choice of a tool that is not there",
    { tools: [look()], tool_choice: { type: "function", function: { name: "find" } } },
    /not found/,
    "tool_choice",
  ],
  [
    "usage without a stream",
    { stream_options: { include_usage: true } },
    "The 'stream_options' parameter is only allowed when 'stream' is enabled.",
    "stream_options",
  ],
  ["no tokens", { max_completion_tokens: 0 }, /Expected a value >= 1, but got 0/, "max_completion_tokens"],
  [
    "two limits",
    { model: "gpt-4o", max_tokens: 9, max_completion_tokens: 9 },
    /at the same time/,
    "max_tokens",
  ],
  [
    "the old limit",
    { max_tokens: 9 },
    "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
    "max_tokens",
  ],
  ["a temperature", { temperature: 0.2 }, /Only the default \(1\) value is supported/, "temperature"],
  [
    "tools of a model that reasons",
    { model: "gpt-6-sol", tools: [look()] },
    "Function tools with reasoning_effort are not supported for gpt-6-sol in /v1/chat/completions. To use function tools, use /v1/responses or set reasoning_effort to 'none'.",
    "reasoning_effort",
  ],
  [
    "tools of a model that is told to reason",
    { reasoning_effort: "low", tools: [look()] },
    /^Function tools/,
    "reasoning_effort",
  ],
  [
    "no reasoning of a model that always does",
    { model: "gpt-6.1-sol", reasoning_effort: "none" },
    /does not support 'none'/,
    "reasoning_effort",
  ],
  [
    "a prompt that is too long",
    said({ role: "user", content: "word ".repeat(800_000) }),
    /^Input tokens exceed/,
    "messages",
  ],
  ["half a character", said({ role: "user", content: "\ud83d" }), /^We could not parse the JSON body/, null],
])("refuses %s", async (_title, changes, message, param) => {
  const before = api.rejected.length;
  const refusal = await send(changes);
  expect(refusal).toMatchObject({ status: 400, param });
  if (typeof message === "string") expect(refusal).toMatchObject({ message });
  else expect("message" in refusal && refusal.message).toMatch(message);
  expect(api.rejected.length).toBe(before + 1);
});

it("refuses requests without a key, and never repeats a key", async () => {
  expect(await send({}, "sk-proj-wrong-key-1234")).toMatchObject({
    status: 401,
    code: "invalid_api_key",
    message: /sk-proj-\*{8}1234/,
  });
  const bare = await fetch(`${api.url}/chat/completions`, { method: "POST", body: "{}" });
  expect(bare.status).toBe(401);
  const elsewhere = await fetch(`${api.url}/responses`, { method: "POST" });
  expect(elsewhere.status).toBe(404);
});

it("judges without a server", () => {
  for (const body of [null, 7, "x", []]) expect(validateChatRequest(body)?.status).toBe(400);
  expect(validateChatRequest({ model: "x", messages: [user] })).toBeUndefined();
});
