import { expect, it } from "vitest";
import { mutations } from "../../../test/support/mutated.ts";
import { validateChatRequest, validateMessagesRequest } from "../src/index.ts";

const DOT =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==";
const PDF = btoa("%PDF-1.4 1 0 obj << /Type /Page >> endobj");
const schema = {
  type: "object",
  properties: { a: { type: "string", format: "date" }, b: { type: "string", enum: ["x"] } },
  required: ["a", "b"],
  additionalProperties: false,
};

const messages = {
  model: "claude-sonnet-5-5",
  max_tokens: 100,
  stream: true,
  system: [{ type: "text", text: "Be brief.", cache_control: { type: "ephemeral", ttl: "1h" } }],
  tools: [{ name: "look", description: "Looks.", strict: true, input_schema: schema }],
  tool_choice: { type: "auto", disable_parallel_tool_use: true },
  thinking: { type: "adaptive", display: "summarized" },
  metadata: { user_id: "u" },
  output_config: { effort: "low", format: { type: "json_schema", schema } },
  messages: [
    {
      role: "user",
      content: [
        { type: "image", source: { type: "base64", media_type: "image/png", data: DOT } },
        {
          type: "document",
          source: { type: "base64", media_type: "application/pdf", data: PDF },
          title: "t",
        },
        { type: "text", text: "Hi" },
      ],
    },
    {
      role: "assistant",
      content: [
        { type: "text", text: "Well.", citations: null },
        { type: "tool_use", id: "toolu_1", name: "look", input: { a: "x" } },
      ],
    },
    {
      role: "user",
      content: [
        {
          type: "tool_result",
          tool_use_id: "toolu_1",
          content: [{ type: "text", text: "Seen." }],
          is_error: false,
        },
      ],
    },
  ],
};

const chat = {
  model: "gpt-5.4-mini",
  stream: true,
  stream_options: { include_usage: true },
  max_completion_tokens: 100,
  reasoning_effort: "none",
  tools: [
    { type: "function", function: { name: "look", description: "Looks.", strict: true, parameters: schema } },
  ],
  tool_choice: "auto",
  parallel_tool_calls: false,
  response_format: { type: "json_schema", json_schema: { name: "o", strict: true, schema } },
  messages: [
    { role: "system", content: "Be brief." },
    {
      role: "user",
      content: [
        { type: "text", text: "Hi" },
        { type: "image_url", image_url: { url: `data:image/png;base64,${DOT}` } },
        { type: "file", file: { filename: "a.pdf", file_data: `data:application/pdf;base64,${PDF}` } },
      ],
    },
    {
      role: "assistant",
      content: null,
      tool_calls: [{ id: "call_123456789", type: "function", function: { name: "look", arguments: "{}" } }],
    },
    { role: "tool", tool_call_id: "call_123456789", content: [{ type: "text", text: "Seen." }] },
  ],
};

it.each<[string, (body: unknown) => { message: string } | undefined, object]>([
  ["validateMessagesRequest", validateMessagesRequest, messages],
  ["validateChatRequest", validateChatRequest, chat],
])("%s judges a request of any shape, and throws nothing", (_, judge, body) => {
  expect(judge(body)).toBeUndefined();
  let refused = 0;
  const changed = mutations({ body });
  for (const { title, value } of changed) {
    const given = (value as { body?: unknown }).body;
    expect(() => judge(given), title).not.toThrow();
    if (judge(given) !== undefined) refused += 1;
  }
  expect(refused).toBeGreaterThan(changed.length / 2);
});
