import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Json, toJson } from "../../src/base/json.ts";
import { clipJson } from "../../src/runtime/files/short-result.ts";

const clip = (value: Json, limit: number, kept: readonly string[] = []) =>
  clipJson(value, limit, (text) => kept.includes(text));
const length = (value: Json) => JSON.stringify(value).length;

describe("B7 C5 a clipped value", () => {
  it("that fits stays as it is", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const json = toJson(value);
        expect(clip(json, 2 * length(json) + 20)).toEqual(json);
      }),
    );
  });

  it("of any kind has about as many characters as it may, and can be stored", () => {
    const texts = fc.string({ maxLength: 3_000, unit: "binary" });
    const { value: values } = fc.letrec<{ value: Json }>((tie) => ({
      value: fc.oneof(
        { maxDepth: 4, withCrossShrink: true },
        texts,
        fc.integer(),
        fc.array(tie("value"), { maxLength: 30 }),
        fc.dictionary(texts, tie("value"), { maxKeys: 30 }),
      ),
    }));
    fc.assert(
      fc.property(values, fc.integer({ min: 500, max: 5_000 }), (value, limit) => {
        const clipped = clip(toJson(value), limit);
        expect(length(clipped)).toBeLessThanOrEqual(limit + 200);
        expect(toJson(clipped)).toEqual(clipped);
      }),
    );
  });

  it.each<[string, Json]>([
    ["a text", "x".repeat(100_000)],
    ["a text of control characters", "\u0001".repeat(100_000)],
    ["a text of pairs", "😀".repeat(50_000)],
    ["a list of numbers", Array(50_000).fill(1)],
    ["a list of texts", Array(5_000).fill("x".repeat(20))],
    ["a list of long texts", Array(50).fill("x".repeat(2_000))],
    ["a list of empty lists", Array(50_000).fill([])],
    ["an object of many fields", Object.fromEntries(Array.from({ length: 9_000 }, (_, at) => [`f${at}`, 1]))],
    ["an object of a long field name", { ["f".repeat(100_000)]: 1 }],
    ["many levels", JSON.parse(`${'[1,"x",'.repeat(400)}"${"y".repeat(90_000)}"${"]".repeat(400)}`) as Json],
  ])("has a note of what is missing in %s", (_, value) => {
    const clipped = clip(value, 10_000);
    expect(length(clipped)).toBeLessThanOrEqual(10_200);
    expect(JSON.stringify(clipped)).toMatch(/clipped/);
  });

  it("keeps its shape, and what comes after something long", () => {
    const content = [{ type: "text", text: `first${"x".repeat(50_000)}last` }];
    const rows = Array.from({ length: 9_000 }, (_, id) => ({ id }));
    expect(clip({ content, rows, isError: false, total: 3 }, 20_000)).toEqual({
      content: [
        { type: "text", text: expect.stringMatching(/^firstx+\n\[clipped: \d+ of 50009 chars\]\nx+last$/) },
      ],
      rows: expect.arrayContaining([{ id: 0 }, expect.stringMatching(/^\[clipped: \d+ of 9000 items\]$/)]),
      isError: false,
      total: 3,
    });
  });

  it("keeps texts that must stay, whatever their length", () => {
    const bytes = "A".repeat(50_000);
    const { data, text } = clip({ text: "x".repeat(5_000), data: bytes }, 1_000, [bytes]) as {
      [field: string]: Json;
    };
    expect(data).toBe(bytes);
    expect(text).toContain("clipped");
  });
});
