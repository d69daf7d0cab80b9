import { describe, expect, it } from "vitest";
import { estimatedChars } from "../../src/context/estimated-chars.ts";
import { type Options, setup } from "../support/setup.ts";
import { look } from "../support/tools.ts";

const image = (chars: number) => ({
  type: "image",
  source: { type: "base64", media_type: "image/png", data: "A".repeat(chars) },
});
const charsOf = (blocks: unknown) => estimatedChars(blocks, JSON.stringify(blocks));
const around = JSON.stringify([image(0)]).length;

it.each([
  ["a small image counts as it is", [image(1_000)], around + 1_000],
  ["a large one as the largest that a model looks at", [image(5_000_000)], around + 19_136],
])("O2 %s", (_what, blocks, chars) => {
  expect(charsOf(blocks)).toBe(chars);
});

it("O2 finds images in results, and takes words and inputs that look like one for what they are", () => {
  const result = {
    type: "tool_result",
    tool_use_id: "t",
    content: [{ type: "text", text: "x" }, image(90_000)],
  };
  expect(charsOf([result])).toBe(JSON.stringify([result]).length - 90_000 + 19_136);
  const words = [
    { type: "text", text: JSON.stringify(image(90_000)) },
    { type: "tool_use", id: "t", name: "n", input: image(90_000) },
    { type: "document", source: { type: "text", media_type: "text/plain", data: "/Type /Page" } },
    { type: "document", source: { type: "url", url: "https://x.test/base64" } },
    { type: "image", source: null },
    { type: "tool_result", tool_use_id: "t", content: "base64" },
  ];
  expect(charsOf(words)).toBe(JSON.stringify(words).length);
});

it("O2 counts an image that the model fetches as the largest", () => {
  const fetched = [{ type: "image", source: { type: "url", url: "https://x.test/a.png" } }];
  expect(charsOf(fetched)).toBe(JSON.stringify(fetched).length + 19_136);
});

describe("O2 the estimate that is logged with each request", () => {
  const estimates = async (input: string, options: Options = {}) => {
    const world = setup([{ tools: [{ name: "look" }] }, { text: "Ok." }], { tools: [look], ...options });
    const { sessionId } = await world.say(input);
    const [prefix] = await world.of(sessionId, "prefix");
    const { system, tools } = prefix?.data ?? {};
    const requests = await world.of(sessionId, "llm_request");
    // The parts of the prompt as JSON, put together from what the simulator received.
    const sent = world.model.requests.map(({ messages }) =>
      messages.map(({ content }) => JSON.stringify(uncached(content)).length),
    );
    const fixed = JSON.stringify({ system, tools }).length;
    return {
      logged: requests.map(({ data }) => data.estimated_tokens),
      chars: sent.map((lengths) => lengths.reduce((sum, length) => sum + length, fixed)),
    };
  };
  const uncached = (content: unknown) =>
    JSON.parse(JSON.stringify(content), (key, value) => (key === "cache_control" ? undefined : value));

  it("is the characters of the prompt / 4, rounded up, before the API has counted any", async () => {
    const { logged, chars } = await estimates("Hello");
    expect(logged).toHaveLength(2);
    expect(logged[0]).toBe(Math.ceil((chars[0] ?? 0) / 4));
    const longer = await estimates(`Hello${"x".repeat(4_000)}`);
    expect(longer.logged[0]).toBe((logged[0] ?? 0) + 1_000);
  });

  it("is the agent's own instead, if it has one", async () => {
    const { logged, chars } = await estimates("Hello", { estimateTokens: (count) => count / 2 });
    expect(logged).toEqual(chars.map((count) => Math.ceil(count / 2)));
  });
});

describe("a PDF", () => {
  const pdf = (text: string) => ({
    type: "document",
    source: { type: "base64", media_type: "application/pdf", data: btoa(text) },
  });
  const without = JSON.stringify([pdf("")]).length;
  const page = "<< /Type /Page /Parent 1 0 R >>\n";
  const picture = "\u00ff".repeat(300_000);

  it("O2 counts by its pages, however long it is, in a result and in a document of parts too", () => {
    const two = pdf(`%PDF-1.4\n<< /Type /Pages /Count 2 >>\n${page}${picture}${page.replaceAll(" /", "/")}`);
    expect(charsOf([two])).toBe(without + 24_000);
    const result = { type: "tool_result", tool_use_id: "t", content: [two] };
    expect(charsOf([result])).toBe(JSON.stringify([{ ...result, content: [pdf("")] }]).length + 24_000);
    const parts = { type: "document", source: { type: "content", content: [image(90_000)] } };
    expect(charsOf([parts])).toBe(JSON.stringify([parts]).length - 90_000 + 19_136);
  });

  it("O2 counts by the number of pages it declares if it compresses all but the first", () => {
    expect(charsOf([pdf(`%PDF-1.5\n<< /Linearized 1 /L 9 /N 30 >>\n${page}${picture}`)])).toBe(
      without + 360_000,
    );
  });

  it("O2 counts by the length of its data if its pages cannot be counted, or if it is not a PDF", () => {
    const packed = pdf(`%PDF-1.5\n${picture}`);
    expect(charsOf([packed])).toBe(JSON.stringify([packed]).length);
    const none = { type: "document", source: { type: "base64", data: "no base 64!" } };
    expect(charsOf([none])).toBe(JSON.stringify([none]).length);
  });
});
