import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { toJson } from "../../src/base/json.ts";
import { isDeeperThan, jsonWithin } from "../../src/base/json-depth.ts";
import { jsonText } from "../../src/store.ts";

const nested = (levels: number): unknown => JSON.parse("[".repeat(levels) + "]".repeat(levels));

const depthOf = (value: unknown): number =>
  typeof value === "object" && value !== null ? 1 + Math.max(0, ...Object.values(value).map(depthOf)) : 0;

/** Texts with what opens, closes and escapes in JSON. */
const texts = fc.string({
  unit: fc.constantFrom("[", "{", "]", "}", '"', "\\", "a", "\ud800"),
  maxLength: 12,
});
const { json } = fc.letrec((tie) => ({
  json: fc.oneof(
    { maxDepth: 10, depthSize: "large", withCrossShrink: true },
    fc.oneof(texts, fc.integer(), fc.boolean(), fc.constant(null)),
    fc.array(tie("json"), { maxLength: 3 }),
    fc.dictionary(texts, tie("json"), { maxKeys: 3 }),
  ),
}));

const refuses = (value: unknown, levels: number) => {
  try {
    jsonWithin(value, levels);
    return false;
  } catch (error) {
    expect(error).toEqual(new RangeError(`The value is nested more than ${levels} levels deep.`));
    return true;
  }
};

describe("E1 levels of JSON", () => {
  it("are counted alike in a value and in its text, and only where they are", () => {
    fc.assert(
      fc.property(json, fc.integer({ min: 0, max: 8 }), (value, levels) => {
        const isDeeper = depthOf(value) > levels;
        expect(isDeeperThan(value, levels)).toBe(isDeeper);
        expect(refuses(value, levels)).toBe(isDeeper);
      }),
      { numRuns: 1_000 },
    );
  });

  it.each([501, 3_000, 50_000])("a value of %i is refused by name, whatever the stack allows", (levels) => {
    const message = "The value is nested more than 500 levels deep.";
    expect(() => toJson(nested(levels))).toThrow(new RangeError(message));
    expect(isDeeperThan(nested(levels), 500)).toBe(true);
  });

  it("may be 500 of a value, and 1,000 of what is stored", () => {
    expect(toJson(nested(500))).toEqual(nested(500));
    expect(jsonText(nested(1_000))).toBe(JSON.stringify(nested(1_000)));
    expect(() => jsonText(nested(1_001))).toThrow(
      "The value cannot be stored as JSON: The value is nested more than 1000 levels deep.",
    );
  });

  it("are not the brackets of wide values and long texts", () => {
    const wide = Array.from({ length: 2_000 }, () => ({ n: [`{"a":[${"[".repeat(50)}`, '\\"[{'] }));
    expect(jsonText(wide)).toBe(JSON.stringify(wide));
    expect(jsonText("[".repeat(5_000))).toBe(`"${"[".repeat(5_000)}"`);
  });

  it("of a value with cycles end the count soon", () => {
    const ring: unknown[] = Array.from({ length: 10 }, () => []);
    for (const one of ring) (one as unknown[]).push(...ring);
    expect(isDeeperThan(ring, 500)).toBe(true);
    expect(() => toJson(ring)).toThrow(TypeError);
  });
});
