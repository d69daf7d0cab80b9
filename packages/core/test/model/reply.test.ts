import { expect, it } from "vitest";
import { newReply, takeEvent } from "../../src/model/reply.ts";

it("B7 copies no citation that has arrived before", () => {
  const reply = newReply();
  takeEvent(reply, { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } });
  const delta = { type: "citations_delta", citation: { cited_text: "It rains." } };
  takeEvent(reply, { type: "content_block_delta", index: 0, delta });
  const { citations } = reply.blocks[0]!.block;
  for (let n = 1; n < 10; n += 1) takeEvent(reply, { type: "content_block_delta", index: 0, delta });
  expect(reply.blocks[0]!.block.citations).toBe(citations);
  expect(citations).toHaveLength(10);
});
