import type { ContentBlock } from "@pawl/core";
import { messagesApi } from "@pawl/testing";
import { afterAll, describe, expect, it } from "vitest";
import {
  assistant,
  type Body,
  block,
  call,
  marked,
  messages,
  result,
  send,
  text,
  user,
  valid,
  weather,
} from "./support.ts";

const api = await messagesApi({ rules: () => ({ text: "Hello." }) });
afterAll(() => api.close());

const image = (bytes: number): ContentBlock =>
  block({ type: "image", source: { type: "base64", media_type: "image/png", data: "A".repeat(bytes) } });
/** A picture of this size, of which only the header is real. */
const picture = (width: number, height: number, media_type = "image/png"): ContentBlock => {
  const bytes = Buffer.from("iVBORw0KGgoAAAANSUhEUgAAAAAAAAAA", "base64");
  bytes.writeUInt32BE(width, 16);
  bytes.writeUInt32BE(height, 20);
  return block({ type: "image", source: { type: "base64", media_type, data: bytes.toString("base64") } });
};
const pdf = (content: string): ContentBlock =>
  block({
    type: "document",
    source: { type: "base64", media_type: "application/pdf", data: Buffer.from(content).toString("base64") },
  });
const cited = {
  type: "char_location",
  cited_text: "x",
  document_index: 0,
  document_title: null,
  start_char_index: 0,
  end_char_index: 1,
};
const five = ["a", "b", "c", "d", "e"].map((part) => text(part, marked()));

const refusals: [string, Body, string][] = [
  // Content
  [
    "unknown role",
    messages({ role: "tool", content: "x" }),
    "messages.0.role: Input should be 'user', 'assistant' or 'system'",
  ],
  [
    "L7 a bare object as result",
    messages(user("a"), assistant(call("a")), user(result("a", { ok: true }))),
    "messages.2.content.0.tool_result.content: Input should be a valid list",
  ],
  [
    "an unknown block in a result",
    messages(user("a"), assistant(call("a")), user(result("a", [{ type: "json" }]))),
    "messages.2.content.0.tool_result.content.0: Input tag 'json' found using 'type' does not match any of the expected tags: 'text', 'image', 'document', 'search_result', 'tool_reference', 'browser_state'",
  ],
  [
    "C12 an empty message",
    messages(user(), assistant("b"), user("c")),
    "messages.0: all messages must have non-empty content except for the optional final assistant message",
  ],
  [
    "C12 an empty string",
    messages({ role: "user", content: "" }),
    "messages.0: all messages must have non-empty content except for the optional final assistant message",
  ],
  ["C12 empty text", messages(user("")), "messages: text content blocks must be non-empty"],
  [
    "C12 blank text",
    messages(user("a", " \n")),
    "messages: text content blocks must contain non-whitespace text",
  ],
  [
    "C12 blank assistant text",
    messages(user("a"), assistant("\n"), user("b")),
    "messages: text content blocks must contain non-whitespace text",
  ],
  [
    "empty text in a result",
    messages(user("a"), assistant(call("a")), user(result("a", [text("")]))),
    "messages: text content blocks must be non-empty",
  ],
  ["empty system text", { system: [text("")] }, "system: text content blocks must be non-empty"],
  [
    "blank system text",
    { system: [text(" ")] },
    "system: text content blocks must contain non-whitespace text",
  ],
  [
    "unknown field of a block",
    messages(user(text("a", { id: "x" }))),
    "messages.0.content.0.text.id: Extra inputs are not permitted",
  ],
  [
    "missing field of a block",
    messages(user(block({ type: "text" }))),
    "messages.0.content.0.text.text: Field required",
  ],
  [
    "thinking without signature",
    messages(user("a"), assistant(block({ type: "thinking", thinking: "x" })), user("b")),
    "messages.1.content.0.thinking.signature: Field required",
  ],
  [
    "a call by the user",
    messages(user(call("a"))),
    "messages.0.content.0: `tool_use` blocks can only be in `assistant` messages",
  ],
  [
    "a result by the assistant",
    messages(user("a"), assistant(result("a")), user("b")),
    "messages.1.content.0: `tool_result` blocks can only be in `user` messages",
  ],
  [
    "a document by the assistant",
    messages(user("a"), assistant(block({ type: "document", source: { type: "url", url: "x" } })), user("b")),
    "messages.1.content.0: `document` blocks are not supported in `assistant` messages",
  ],
  [
    "citations of the user",
    messages(user(text("a", { citations: [{ type: "x" }] }))),
    "messages.0.content.0: `citations` are not supported on text in `user` messages",
  ],
  [
    "citations of the user in a result",
    messages(user("a"), assistant(call("a")), user(result("a", [text("x", { citations: [{ type: "x" }] })]))),
    "messages.2.content.0: `citations` are not supported on text in `user` messages",
  ],
  [
    "a citation with the file's id, which only answers have",
    messages(user("a"), assistant(text("b", { citations: [{ ...cited, file_id: null }] })), user("c")),
    "messages.1.content.0.text.citations.0.char_location.file_id: Extra inputs are not permitted",
  ],
  [
    "a citation without its place",
    messages(
      user("a"),
      assistant(text("b", { citations: [{ ...cited, type: "page_location" }] })),
      user("c"),
    ),
    "messages.1.content.0.text.citations.0.page_location.start_page_number: Field required",
  ],
  [
    "an image of an unknown kind",
    messages(user(block({ type: "image", source: { type: "base64", media_type: "image/tiff", data: "A" } }))),
    "messages.0.content.0.image.source.base64.media_type: Input should be 'image/jpeg', 'image/png', 'image/gif' or 'image/webp'",
  ],
  [
    "an image from nowhere",
    messages(
      user("a"),
      assistant(call("a")),
      user(result("a", [{ type: "image", source: { type: "url" } }])),
    ),
    "messages.2.content.0.tool_result.content.0.image.source.url.url: Field required",
  ],
  [
    "a document of an unknown kind",
    messages(user(block({ type: "document", source: { type: "base64", media_type: "x", data: "A" } }))),
    "messages.0.content.0.document.source.base64.media_type: Input should be 'application/pdf'",
  ],
  [
    "pattern of a call's name",
    messages(user("a"), assistant(call("a", "get weather")), user(result("a"))),
    "messages.1.content.0.tool_use.name: String should match pattern '^[a-zA-Z0-9_-]{1,128}$'",
  ],
  [
    "L18 pattern of a server call's id",
    messages(
      user("a"),
      assistant(block({ type: "server_tool_use", id: "toolu_1", name: "web_search", input: {} })),
    ),
    "messages.1.content.0.server_tool_use.id: String should match pattern '^srvtoolu_[a-zA-Z0-9_]+$'",
  ],
  [
    "L18 a server's result without a call",
    messages(
      user("a"),
      assistant("b", block({ type: "web_search_tool_result", tool_use_id: "srvtoolu_1", content: [] })),
      user("c"),
    ),
    "messages.1.content.1: unexpected `tool_use_id` found in `web_search_tool_result` blocks: srvtoolu_1. Each `web_search_tool_result` block must have a corresponding `server_tool_use` block before it.",
  ],
  [
    "too many images",
    messages(user(...Array.from({ length: 601 }, () => image(1)))),
    "messages: too many images: 601 > 600 maximum",
  ],
  [
    "F1 an image that is not base64",
    messages(user(block({ type: "image", source: { type: "base64", media_type: "image/png", data: "#" } }))),
    "messages.0.content.0.image.source.base64.data: invalid base64 data",
  ],
  [
    "F1 an image whose bytes are no picture",
    messages(user(image(4))),
    "messages.0.content.0.image.source.base64.data: Could not process image",
  ],
  [
    "F1 an image of another type",
    messages(user("a"), assistant(call("a")), user(result("a", [picture(1, 1, "image/jpeg")]))),
    "messages.2.content.0.tool_result.content.0.image.source.base64: The image was specified using the image/jpeg media type, but the image appears to be a image/png image",
  ],
  [
    "F1 a long image",
    messages(user(picture(8_001, 1))),
    "messages.0.content.0.image.source.base64.data: At least one of the image dimensions exceed max allowed size: 8000 pixels",
  ],
  [
    "F1 a long image among many",
    messages(user(...Array.from({ length: 20 }, () => picture(1, 1)), picture(1, 2_001))),
    "messages.0.content.20.image.source.base64.data: At least one of the image dimensions exceed max allowed size for many-image requests: 2000 pixels",
  ],
  [
    "F1 bytes that are no PDF",
    messages(user(pdf("Hello"))),
    "messages.0.content.0.document.source.base64.data: The PDF specified was not valid.",
  ],
  [
    "F1 a PDF of many pages",
    messages(user(pdf(`%PDF-1.7 ${"/Type /Page ".repeat(601)}`))),
    "A maximum of 600 PDF pages may be provided.",
  ],
  ["an image too big", messages(user(image(10 * 1024 * 1024 + 1))), "messages: image exceeds 10 MB maximum"],
  [
    "input that is no object",
    messages(user("a"), assistant(block({ ...call("a"), input: "{}" })), user(result("a"))),
    "messages.1.content.0.tool_use.input: Input should be a valid dictionary",
  ],
  [
    "pattern of a call's id",
    messages(user("a"), assistant(call("a.b")), user(result("a.b"))),
    "messages.1.content.0.tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'",
  ],
  [
    "L7 pattern of a result's id",
    messages(user("a"), assistant(call("a")), user(result("a b"))),
    "messages.2.content.0.tool_result.tool_use_id: String should match pattern '^[a-zA-Z0-9_-]+$'",
  ],
  // Cache breakpoints
  [
    "C3 five marks",
    messages(user(...five)),
    "A maximum of 4 blocks with cache_control may be provided. Found 5.",
  ],
  [
    "C3 five marks with the automatic one",
    { ...messages(user(...five.slice(1)), assistant("x"), user("y")), ...marked() },
    "A maximum of 4 blocks with cache_control may be provided. Found 5.",
  ],
  [
    "C3 five marks over tools, system and results",
    {
      tools: [{ ...weather, ...marked() }],
      system: [text("s", marked()), text("t", marked())],
      messages: [
        user("a"),
        assistant(call("a")),
        user(result("a", [text("r", marked())]), text("u", marked())),
      ],
    },
    "A maximum of 4 blocks with cache_control may be provided. Found 5.",
  ],
  [
    "C3 an hour after five minutes",
    { system: [text("s", marked())], ...messages(user(text("a", marked("1h")))) },
    "messages.0.content.0.cache_control.ttl: a ttl='1h' cache_control block must not come after a ttl='5m' cache_control block. Note that blocks are processed in the following order: `tools`, `system`, `messages`.",
  ],
  [
    "C3 lifetimes that differ on one block",
    { ...messages(user(text("a", marked("1h")))), ...marked("5m") },
    "cache_control: Both the top-level and the last block's cache_control are set. When both are specified on the same block, they must have matching TTLs",
  ],
  [
    "C3 a mark inside a marked result",
    messages(
      user("a"),
      assistant(call("a")),
      user({ ...result("a", [text("r", marked())]), ...marked() } as ContentBlock),
    ),
    "cache_control may not be specified within `tool_result.content`",
  ],
  [
    "C3 a mark on thinking",
    messages(
      user("a"),
      assistant(block({ type: "thinking", thinking: "x", signature: "s", ...marked() })),
      user("b"),
    ),
    "messages.1.content.0.thinking.cache_control: Extra inputs are not permitted",
  ],
  [
    "C3 a mark on empty text",
    messages(user("a", text("", marked()))),
    "messages.0.content.1.text: cache_control cannot be set for empty text blocks",
  ],
  [
    "an unknown lifetime",
    messages(user(text("a", { cache_control: { type: "ephemeral", ttl: "1d" } }))),
    "messages.0.content.0.text.cache_control.ttl: Input should be '5m' or '1h'",
  ],
];

describe("refuses, in the API's words,", () => {
  it.each(refusals)("%s", async (_title, changes, expected) => {
    const sent = await send(api, valid(changes));
    expect(sent).toEqual({ status: 400, type: "invalid_request_error", text: expected });
  });
});
