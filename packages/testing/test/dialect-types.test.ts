import type { Anthropic } from "@anthropic-ai/sdk";
import type { OpenAI } from "openai";
import { expect, it } from "vitest";
import { type ChatChunk, chunksOf } from "../src/dialects/base/chat.ts";
import { type BlockEvent, call, text, thinking } from "../src/dialects/base/messages.ts";

it("B4 what the corpus has in an API's own form is what the official SDK declares", () => {
  const { chunk, usage } = chunksOf("gpt-5.4-mini");
  const chunks = [chunk({ content: "Hi" }, "stop"), usage()] satisfies OpenAI.ChatCompletionChunk[];
  const events = [
    ...text(0, ["Hi"]),
    ...thinking(1),
    ...call(2, { name: "look", input: {} }),
  ] satisfies Anthropic.RawMessageStreamEvent[];
  const declared = (one: ChatChunk): OpenAI.ChatCompletionChunk => one;
  const declaredEvent = (one: BlockEvent): Anthropic.RawMessageStreamEvent => one;
  expect(chunks.map(declared)).toHaveLength(2);
  expect(events.map(declaredEvent).map(({ type }) => type)).toContain("content_block_delta");
});
