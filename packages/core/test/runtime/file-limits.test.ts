import { scriptedModel, strictModel } from "@pawl/testing";
import { describe, expect, it } from "vitest";
import { type ContentBlockParam, dropOldResults, withFallback } from "../../src/index.ts";
import { base64, filing, refusalOf } from "../support/file-runs.ts";
import { pdf, png } from "../support/files.ts";

const hello = { text: "I see." };
const script = (replies: number) => Array.from({ length: replies }, () => hello);
const file = (data: Uint8Array) => ({ type: "file" as const, data });

/** Counts the pictures, PDFs and notes in what was sent. */
function kinds(blocks: readonly { [field: string]: unknown }[]): { [kind: string]: number } {
  const counts: { [kind: string]: number } = {};
  for (const { type, text } of blocks) {
    const kind = type === "text" && String(text).startsWith("[The file") ? "note" : String(type);
    counts[kind] = (counts[kind] ?? 0) + 1;
  }
  return counts;
}

describe("files of a long session", () => {
  it("F1 are left out of the context from the oldest on, before a request has too many large pictures", async () => {
    const { say, sent, model, log } = filing(script(30));
    const first = await say([{ ...file(png(3_000, 2_000)), name: "0.png" }]);
    const { sessionId } = first;
    for (let seed = 1; seed < 20; seed += 1) await say([file(png(3_000, 2_000, { seed }))], { sessionId });
    expect(kinds(sent())).toEqual({ image: 20 });
    await say([file(png(100, 100, { seed: 20 }))], { sessionId });
    expect(kinds(sent())).toEqual({ image: 10, text: 10, note: 1 });
    expect(sent()[0]).toEqual({
      type: "text",
      text: '[The file "0.png" (image/png, 3000 × 2000 pixels) is no longer in the context.]',
    });
    const checkpoints = (await log(sessionId)).filter(({ type }) => type === "checkpoint");
    expect(checkpoints.map(({ data }) => data)).toMatchObject([
      { reason: "drop_old_results", only: "files" },
    ]);
    for (let seed = 21; seed < 30; seed += 1) await say([file(png(100, 100, { seed }))], { sessionId });
    expect(kinds(sent())).toMatchObject({ image: 19 });
    expect(model.rejected).toEqual([]);
  });

  it("F1 are left out before a request has too many bytes or pages; the newest message keeps its files", async () => {
    const { say, sent, model } = filing(script(9));
    const { sessionId } = await say([file(png(10, 10, { bytes: 7_000_000, seed: 1 }))]);
    for (const seed of [2, 3]) await say([file(png(10, 10, { bytes: 7_000_000, seed }))], { sessionId });
    expect(kinds(sent())).toEqual({ image: 1, text: 2 });
    const long = await say([file(pdf(99))]);
    await say([file(pdf(98))], { sessionId: long.sessionId });
    expect(kinds(sent())).toEqual({ text: 1, document: 1 });
    expect(model.rejected).toEqual([]);
  });

  it("F1 are left out with old tool results", async () => {
    const dropping = dropOldResults({ whenTokens: 1_000, keepTurns: 1 });
    const { say, sent } = filing(script(9), { checkpointWhen: [dropping] });
    const { sessionId } = await say([file(png(1_000, 1_000))]);
    await say("Hm.", { sessionId });
    await say("Hm?", { sessionId });
    expect(kinds(sent())).toEqual({ text: 3 });
  });
});

describe("files and models", () => {
  it("F1 are refused unless the fallback reads them too", async () => {
    const blind = scriptedModel([], { reads: ["pdf"] });
    const { say } = filing([], { model: withFallback(strictModel(), blind) });
    expect(await refusalOf(say([file(png(1, 1))]))).toContain("cannot read files of the type image/png");
  });

  it("F1 become a note for another model that a hook chooses, and come back for the first one", async () => {
    const blind = scriptedModel([hello], { reads: [] });
    let turns = 0;
    const { say, sent } = filing(script(2), {
      hooks: [{ name: "chooser", beforeTurn: () => (++turns === 2 ? { model: blind } : undefined) }],
    });
    const { sessionId } = await say([file(png(4, 4))]);
    await say("Cheaper, please.", { sessionId });
    const { cache_control: _, ...note } = (blind.requests[0]?.messages[0]?.content[0] ?? {
      type: "",
    }) as ContentBlockParam;
    expect(note).toEqual({
      type: "text",
      text: "[A file (image/png, 4 × 4 pixels) is left out: this model cannot read it.]",
    });
    await say("Thanks.", { sessionId });
    expect(sent()[0]).toMatchObject({ type: "image", source: { data: base64(png(4, 4)) } });
  });
});
