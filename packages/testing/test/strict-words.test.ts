import { describe, expect, it } from "vitest";
import { validateMessagesRequest } from "../src/index.ts";

const base = { model: "claude-sonnet-5-5", max_tokens: 100 };
const call = { type: "tool_use", id: "toolu_1", name: "t", input: {} };
const tools = [{ name: "t", description: "", input_schema: { type: "object" } }];
const withResult = (result: object) => ({
  ...base,
  tools,
  messages: [
    { role: "user", content: "Hi" },
    { role: "assistant", content: [call] },
    { role: "user", content: [{ type: "tool_result", tool_use_id: "toolu_1", ...result }] },
  ],
});

describe("what reports of users add to the documented rules", () => {
  it.each([{ content: "" }, { content: [] }, {}])("L7 refuses an error without words: %j", (result) => {
    expect(validateMessagesRequest(withResult({ is_error: true, ...result }))?.message).toBe(
      "messages.2.content.0.tool_result: content cannot be empty if `is_error` is true",
    );
    expect(validateMessagesRequest(withResult(result))).toBeUndefined();
  });

  it.each(["x\ud83d", "\udc00y"])("refuses half a surrogate pair: %j", (content) => {
    const error = validateMessagesRequest({ ...base, messages: [{ role: "user", content }] });
    expect(error?.message).toContain("no low surrogate in string");
    expect(
      validateMessagesRequest({ ...base, messages: [{ role: "user", content: "😀 \\ud83d" }] }),
    ).toBeUndefined();
  });
});
