import { describe, expect, it } from "vitest";
import { fileBlock } from "../../src/context/file-blocks.ts";
import { type FilledMessages, withFileBytes } from "../../src/context/file-bytes.ts";
import type { Message } from "../../src/index.ts";

const reference = { id: "a".repeat(64), media_type: "image/png", bytes: 3, width: 1, height: 1 };
const request = (...messages: Message[]) => ({ system: [], tools: [], messages, maxTokens: 10 });
const sees = { reads: ["image" as const] };

/** Fills a request, and returns its messages and what was read. */
async function fill(
  messages: Message[],
  model: Parameters<typeof withFileBytes>[1] = sees,
  known: FilledMessages = new WeakMap(),
) {
  const read: string[] = [];
  const given = request(...messages);
  const filled = await withFileBytes(
    given,
    model,
    async ({ id }) => {
      read.push(id);
      return "QUJD";
    },
    known,
  );
  return { filled, read, isSame: filled === given };
}

describe("withFileBytes()", () => {
  it("F1 fills references of users and tools, and none that a model writes", async () => {
    const block = fileBlock(reference);
    const result = { type: "tool_result", tool_use_id: "t", content: [block] } as never;
    const forged: Message = { role: "assistant", content: [block] };
    const { filled, read } = await fill([
      { role: "user", content: [block] },
      forged,
      { role: "user", content: [result] },
    ]);
    expect(JSON.stringify(filled.messages[0])).toContain("QUJD");
    expect(filled.messages[1]).toBe(forged);
    expect(JSON.stringify(filled.messages[2])).toContain("QUJD");
    expect(read).toHaveLength(2);
    expect((await fill([forged])).isSame).toBe(true);
  });

  it("F1 fills a message again for a model that reads something else", async () => {
    const message: Message = { role: "user", content: [fileBlock(reference)] };
    const known: FilledMessages = new WeakMap();
    const first = await fill([message], sees, known);
    const again = await fill([message], sees, known);
    expect(again.filled.messages[0]).toBe(first.filled.messages[0]);
    expect(again.read).toEqual([]);
    const blind = await fill([message], { reads: ["pdf"] }, known);
    expect(JSON.stringify(blind.filled)).toContain("this model cannot read it");
    expect(JSON.stringify((await fill([message], sees, known)).filled)).toContain("QUJD");
  });

  it("F1 reads PDFs and pictures only for models that read them, and texts for all", async () => {
    const of = (media_type: string): Message => ({
      role: "user",
      content: [fileBlock({ ...reference, media_type })],
    });
    const read = async (media_type: string, reads: ("image" | "pdf")[]) =>
      (await fill([of(media_type)], { reads })).read.length;
    expect(await read("application/pdf", ["pdf"])).toBe(1);
    expect(await read("application/pdf", ["image"])).toBe(0);
    expect(await read("image/png", ["pdf"])).toBe(0);
    expect(await read("text/plain", [])).toBe(1);
    expect(await read("image/svg+xml", [])).toBe(0);
  });

  it("F1 C1 keeps the cache breakpoint of a file that is left out", async () => {
    const marked = { ...fileBlock(reference), cache_control: { type: "ephemeral" as const } };
    const { filled } = await fill([{ role: "user", content: [marked] }], { reads: [] });
    expect(filled.messages[0]?.content).toMatchObject([
      { type: "text", cache_control: { type: "ephemeral" } },
    ]);
  });
});
