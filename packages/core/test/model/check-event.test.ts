import { expect, it } from "vitest";
import { newReply, takeEvent } from "../../src/model/reply.ts";
import { eventCheck } from "../../src/model.ts";

const start = { type: "message_start", message: {} };
const block = (index: number, content_block: unknown) => ({
  type: "content_block_start",
  index,
  content_block,
});
const delta = (index: unknown, piece: unknown) => ({ type: "content_block_delta", index, delta: piece });
const stop = (index: unknown) => ({ type: "content_block_stop", index });
const text = block(0, { type: "text", text: "" });
const call = block(0, { type: "tool_use", id: "c", name: "n", input: {} });
const words = { type: "text_delta", text: "x" };

function problemOf(events: readonly unknown[]): string | undefined {
  const check = eventCheck();
  try {
    for (const event of events) check(event);
    return undefined;
  } catch (error) {
    return (error as Error).message.replace("The model's answer is malformed: ", "");
  }
}

it.each<[string, unknown[], string]>([
  ["no event", [null], "an event must be an object; got null."],
  ["an event without a type", [{}], "`type` of an event must be a text; it is missing."],
  [
    "a list for a message",
    [{ type: "message_start", message: [] }],
    "`message` of message_start must be an object; got a list.",
  ],
  ["a block that skips one", [start, block(1, { type: "text" })], "a block out of order."],
  [
    "a number as a text",
    [block(0, { type: "text", text: 5 })],
    "`text` of a text block must be a text; got a number.",
  ],
  [
    "a call without a name",
    [block(0, { type: "tool_use", id: "c" })],
    "`name` of a tool_use block must be a text; it is missing.",
  ],
  [
    "hidden thinking without data",
    [block(0, { type: "redacted_thinking" })],
    "`data` of a redacted_thinking block must be a text; it is missing.",
  ],
  ["a piece of no block", [text, delta(1, words)], "content_block_delta of a block that has not begun."],
  [
    "a piece of an inherited one",
    [text, delta("__proto__", words)],
    "content_block_delta of a block that has not begun.",
  ],
  [
    "a piece of a complete block",
    [text, stop(0), delta(0, words)],
    "a text_delta of a block that is complete.",
  ],
  ["a piece of another kind of block", [call, delta(0, words)], "a text_delta of a tool_use block."],
  ["the end of no block", [stop(0)], "content_block_stop of a block that has not begun."],
  [
    "a citation that is a text",
    [text, delta(0, { type: "citations_delta", citation: "p. 1" })],
    "`citation` of citations_delta must be an object; got a string.",
  ],
  [
    "no delta at the end",
    [{ type: "message_delta" }],
    "`delta` of message_delta must be an object; it is missing.",
  ],
  [
    "a stop reason that is a number",
    [{ type: "message_delta", delta: { stop_reason: 1 } }],
    "`stop_reason` must be a text; got a number.",
  ],
])("L12 an event of an answer is refused that has %s", (_title, events, problem) => {
  expect(problemOf(events)).toBe(problem);
});

it("L12 what a later version of the API may send is taken", () => {
  const later = [
    { type: "later", index: "x" },
    block(0, { type: "later", id: 5 }),
    delta(0, { type: "text_delta", text: "x" }),
    delta(0, { type: "later_delta", text: 5 }),
    stop(0),
    block(1, { type: "text", text: null }),
    delta(1, { type: "later_delta" }),
  ];
  expect(problemOf([start, ...later])).toBeUndefined();
});

it("L12 an attempt that failed leaves no blocks to the next one", () => {
  expect(problemOf([start, text, { type: "attempt_failed" }, start, text, delta(0, words)])).toBeUndefined();
});

it("L12 the input of a call of an MCP server that the API calls is kept", () => {
  const answer = newReply();
  const events = [
    start,
    block(0, { type: "mcp_tool_use", id: "m", name: "search", server_name: "docs", input: {} }),
    delta(0, { type: "input_json_delta", partial_json: '{"q":' }),
    delta(0, { type: "input_json_delta", partial_json: "1}" }),
    stop(0),
  ];
  for (const event of events) takeEvent(answer, event as never);
  expect(answer.blocks[0]?.block.input).toEqual({ q: 1 });
});
