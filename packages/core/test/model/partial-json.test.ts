import { describe, expect, it } from "vitest";
import type { Json } from "../../src/index.ts";
import { partialJson } from "../../src/view.ts";

describe("partialJson", () => {
  it.each<[string, Json | undefined]>([
    ["", undefined],
    ["  ", undefined],
    ["{", {}],
    ['{"a', {}],
    ['{"a"', {}],
    ['{"a":', {}],
    ['{"a":"', { a: "" }],
    ['{"a":"b', { a: "b" }],
    ['{"a":"b\\', { a: "b" }],
    ['{"a":"b\\\\', { a: "b\\" }],
    ['{"a":"b\\u00', { a: "b" }],
    ['{"a":"\\ud83d', { a: "" }],
    ['{"a":"\\ud83d\\ude', { a: "" }],
    ['{"a":"\\ud83d\\ude00', { a: "😀" }],
    ['{"a":"x\ud83d', { a: "x" }],
    ['{"a":1', {}],
    ['{"a":1,', { a: 1 }],
    ['{"a":-', {}],
    ['{"a":1.5e', {}],
    ['{"a":tr', {}],
    ['{"a":true', {}],
    ['{"a":true,', { a: true }],
    ['{"a":[1, 2, 3', { a: [1, 2] }],
    ['{"a":[{"b":null},{"c', { a: [{ b: null }, {}] }],
    ['[[],{},""', [[], {}, ""]],
    ['"text', "text"],
    ['{"__proto__":{"x":1', JSON.parse('{"__proto__":{}}') as Json],
    ["nonsense", undefined],
    ["{]", {}],
    ['{"a" 1', {}],
    ["{1", {}],
    ["[1 2", []],
    ["```json", undefined],
    ["[".repeat(10_000), undefined],
  ])("F2 parses %j", (text, value) => {
    expect(partialJson(text)).toEqual(value);
    if (text.includes("__proto__")) expect(Object.keys(partialJson(text) as object)).toEqual(["__proto__"]);
  });

  it("F2 has a value for every beginning, which only grows", () => {
    const whole = { a: 'x\n"\\😀y', b: [1, -2.5e3, { c: [true, null] }], 'k"ey': { d: {} }, e: "" };
    for (const text of [JSON.stringify(whole), JSON.stringify(whole, null, 2)]) {
      for (let end = 1; end < text.length; end += 1) {
        const value = partialJson(text.slice(0, end));
        expect(value).toBeDefined();
        expect(whole).toMatchObject(withoutTexts(value as Json) as object);
      }
      expect(partialJson(text)).toEqual(whole);
    }
  });
});

/** Leaves out texts and lists, which may be shorter than in the whole value. */
function withoutTexts(value: Json): Json {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  const kept = Object.entries(value).filter(([, part]) => typeof part !== "string" && !Array.isArray(part));
  return Object.fromEntries(kept.map(([key, part]) => [key, withoutTexts(part)]));
}
