import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { literalCopy, toJson } from "../../src/base/json.ts";

const wellFormed = (_key: string, part: unknown) => (typeof part === "string" ? part.toWellFormed() : part);
/** What JSON makes of it, or `undefined` if it makes nothing. */
const plainly = (value: unknown, replacer?: typeof wellFormed): unknown => {
  try {
    return JSON.parse(JSON.stringify(value, replacer) ?? "null");
  } catch {
    return undefined;
  }
};
const same = { text: (part: string) => part, done: Object.freeze };
const values = fc.anything({
  withBigInt: true,
  withDate: true,
  withMap: true,
  withNullPrototype: true,
  withObjectString: true,
  withSparseArray: true,
  withTypedArray: true,
  withBoxedValues: true,
  stringUnit: "binary",
});

describe("E1 a copy of literals", () => {
  it("equals what JSON makes of them, or is undefined", () => {
    const property = fc.property(values, (value) => {
      const copy = literalCopy(value, same);
      if (copy !== undefined) expect(copy).toStrictEqual(plainly(value));
    });
    fc.assert(property, { numRuns: 5_000 });
  });

  it("has no lone surrogates, which models and databases refuse", () => {
    const property = fc.property(values, (value) => {
      const expected = plainly(value, wellFormed);
      if (expected === undefined) expect(() => toJson(value)).toThrow();
      else expect(toJson(value)).toStrictEqual(expected);
    });
    fc.assert(property, { numRuns: 5_000 });
  });

  it("copies all plain values, and freezes them if asked", () => {
    const literal = { a: [1, -0, Number.NaN, "\ud800", null, undefined, true], b: { c: {}, d: undefined } };
    const copy = literalCopy(literal, same);
    expect(copy).toStrictEqual({ a: [1, 0, null, "\ud800", null, null, true], b: { c: {} } });
    expect(Object.isFrozen((copy as { b: { c: object } }).b.c)).toBe(true);
    expect(toJson(literal)).toMatchObject({ a: [1, 0, null, "\ufffd", null, null, true] });
  });

  it.each([
    ["a date", new Date(0)],
    ["an object of its own idea", { toJSON: () => "mine" }],
    ["an object that hides it", Object.defineProperty({}, "toJSON", { value: () => "mine" })],
    ["an array of its own idea", Object.assign([1], { toJSON: () => "mine" })],
    ["an array of another kind", class extends Array {}.from([1])],
    ["a function", () => 1],
    ["a bigint", 1n],
    ["a key that means something", JSON.parse('{"__proto__": {"a": 1}}')],
    [
      "a cycle",
      (() => {
        const cycle: { self?: unknown } = {};
        cycle.self = cycle;
        return cycle;
      })(),
    ],
    [
      "a getter that throws",
      {
        get a() {
          throw new Error("no");
        },
      },
    ],
  ])("is undefined for %s", (_, value) => {
    expect(literalCopy(value, same)).toBeUndefined();
    expect(literalCopy({ deep: [value] }, same)).toBeUndefined();
  });
});
