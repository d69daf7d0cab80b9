import assert from "node:assert/strict";
import fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import { soak } from "../../../../test/support/soak.ts";
import type { Json, JsonObject } from "../../src/index.ts";
import { jsonReader, partialJson } from "../../src/view.ts";

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
    ["[1 2", [1]],
    ["[01, 2", []],
    ["[1,]", [1]],
    ['{"a":1,}', { a: 1 }],
    ['{"a":1}]', { a: 1 }],
    ['{"a":1} and more', { a: 1 }],
    ['{"a":"x\n', { a: "" }],
    ['{"a":"\\x"', { a: "" }],
    ['{"a":"\\uzzzz"', { a: "" }],
    ['{"a":1,"a":2,"b":3', { a: 2 }],
    ["```json", undefined],
  ])("F2 parses %j", (text, value) => {
    expect(partialJson(text)).toEqual(value);
    if (text.includes("__proto__")) expect(Object.keys(partialJson(text) as object)).toEqual(["__proto__"]);
  });

  it("F2 keeps the outer levels of a text with too many", () => {
    const levels = JSON.stringify(partialJson("[".repeat(10_000)));
    expect(levels).toBe("[".repeat(200) + "]".repeat(200));
  });

  it("F2 has the beginning of the value for every beginning of its text, however it is cut", () => {
    const json = fc
      .jsonValue({ maxDepth: 3, stringUnit: "binary" })
      .map((value) => ({ value, '"\\😀': [value] }));
    fc.assert(
      fc.property(
        json,
        fc.constantFrom(undefined, 2),
        fc.nat(7),
        fc.boolean(),
        (value, space, size, escaped) => {
          const plain = JSON.stringify(value, null, space);
          const text = escaped ? plain.replace(/[^\x20-\x7e\n]/g, escapeOf) : plain;
          const whole = JSON.parse(text) as Json;
          const reader = jsonReader();
          let last: Json | undefined;
          for (let at = 0; at < text.length; at += size + 1) {
            reader.read(text.slice(at, at + size + 1));
            const part = reader.value();
            const again = partialJson(text.slice(0, at + size + 1));
            assert.deepEqual(part, again);
            assert.ok(hasGrown(last, part) && hasGrown(part, whole), text.slice(0, at + size + 1));
            last = part;
          }
          expect(last).toEqual(whole);
        },
      ),
      { numRuns: soak(150, 3_000) },
    );
  });
});

describe("jsonReader", () => {
  it("F2 keeps the finished parts of the value, and never changes what it has returned", () => {
    const reader = jsonReader();
    reader.read('{"a":[{"b":1},{"c":"x');
    const first = reader.value() as { a: object[] };
    reader.read('y"},{"d":');
    const second = reader.value() as { a: object[] };
    expect(first).toEqual({ a: [{ b: 1 }, { c: "x" }] });
    expect(second).toEqual({ a: [{ b: 1 }, { c: "xy" }, {}] });
    expect(second.a[0]).toBe(first.a[0]);
    reader.read("2}]}");
    expect((reader.value() as { a: object[] }).a[1]).toBe(second.a[1]);
  });

  it.each<[string, string]>([
    ["number", "9".repeat(20_000)],
    ["word", "x".repeat(20_000)],
  ])("B7 F2 searches each character of an unfinished %s once, in pieces of any size", (_, word) => {
    let searched = 0;
    const { exec } = RegExp.prototype;
    const spy = vi.spyOn(RegExp.prototype, "exec").mockImplementation(function (this: RegExp, input) {
      searched += input.length;
      return exec.call(this, input);
    });
    const reader = jsonReader();
    reader.read("[1,");
    for (let at = 0; at < word.length; at += 4) reader.read(word.slice(at, at + 4));
    spy.mockRestore();
    expect(reader.value()).toEqual([1]);
    expect(searched).toBeLessThan(word.length * 2);
  });

  it.each<[string, Json]>([
    ["a long text", { a: "x\n😀".repeat(20_000) }],
    ["a long list", { a: Array.from({ length: 10_000 }, (_, n) => n) }],
    ["many objects", { a: Array.from({ length: 2_000 }, (_, n) => ({ n, text: "some words" })) }],
  ])("F2 reads each character of %s once, in pieces of any size", (_, value) => {
    const text = JSON.stringify(value);
    let matched = 0;
    const { exec } = RegExp.prototype;
    const spy = vi.spyOn(RegExp.prototype, "exec").mockImplementation(function (this: RegExp, input) {
      const found = exec.call(this, input);
      matched += found?.[0].length ?? 0;
      return found;
    });
    const parsed = vi.spyOn(JSON, "parse");
    const reader = jsonReader();
    for (let at = 0; at < text.length; at += 3) reader.read(text.slice(at, at + 3));
    const chars = parsed.mock.calls.reduce((sum, [part]) => sum + part.length, 0);
    spy.mockRestore();
    parsed.mockRestore();
    expect(reader.value()).toEqual(value);
    expect(matched).toBeLessThan(text.length * 4);
    expect(chars).toBeLessThan(text.length * 4);
  });
});

function escapeOf(char: string): string {
  return `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`;
}

/** Returns whether a value is the beginning of a later one: texts and lists grow at their end, objects get fields. */
function hasGrown(part: Json | undefined, later: Json | undefined): boolean {
  if (part === undefined) return true;
  if (typeof part === "string") return String(later).startsWith(part);
  if (typeof part !== "object" || part === null) return Object.is(part, later);
  const before = Object.entries(part);
  const after = Object.entries(later as JsonObject);
  return before.every(([key, value], at) => key === after[at]?.[0] && hasGrown(value, after[at]?.[1]));
}
