import { expect, it } from "vitest";
import { estimatedChars } from "../src/context/estimated-chars.ts";

const image = (chars: number) => ({
  type: "image",
  source: { type: "base64", media_type: "image/png", data: "A".repeat(chars) },
});
const charsOf = (blocks: unknown) => estimatedChars(blocks, JSON.stringify(blocks));
const around = JSON.stringify([image(0)]).length;

it.each([
  ["a small image counts as it is", [image(1_000)], around + 1_000],
  ["a large one as the largest that a model looks at", [image(5_000_000)], around + 19_136],
])("L13 %s", (_what, blocks, chars) => {
  expect(charsOf(blocks)).toBe(chars);
});

it("L13 finds images in results, and takes words and inputs that look like one for what they are", () => {
  const result = {
    type: "tool_result",
    tool_use_id: "t",
    content: [{ type: "text", text: "x" }, image(90_000)],
  };
  expect(charsOf([result])).toBe(JSON.stringify([result]).length - 90_000 + 19_136);
  const words = [
    { type: "text", text: JSON.stringify(image(90_000)) },
    { type: "tool_use", id: "t", name: "n", input: image(90_000) },
    { type: "image", source: { type: "url", url: "https://x.test/base64" } },
    { type: "image", source: null },
    { type: "tool_result", tool_use_id: "t", content: "base64" },
  ];
  expect(charsOf(words)).toBe(JSON.stringify(words).length);
});
