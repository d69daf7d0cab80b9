import { describe, expect, it, onTestFinished, vi } from "vitest";
import type { Json, JsonObject } from "../../src/index.ts";
import { findMistakes, judgeOf } from "../../src/schema/judge.ts";

const mistakes = (schema: JsonObject, value: unknown, steps = 100_000) =>
  findMistakes(judgeOf(schema), value, steps).map(({ path, message }) => `${path.join(".")}: ${message}`);

const objects = (length: number): Json => Array.from({ length }, () => ({}));

/** A value inside lists. */
const listsIn = (value: Json, levels: number): Json => (levels === 0 ? value : [listsIn(value, levels - 1)]);

/** A schema of lists in lists, with a mistake in the innermost that does not count. */
const deepNot = (levels: number): JsonObject =>
  levels === 0 ? { not: { type: "string" } } : { items: deepNot(levels - 1) };

/** A schema of `n` definitions, each of which applies the next one twice. */
function doubling(n: number): JsonObject {
  const $defs: JsonObject = { [`d${n}`]: { type: "object" } };
  for (let at = 0; at < n; at += 1) {
    const next = { $ref: `#/$defs/d${at + 1}` };
    $defs[`d${at}`] = { allOf: [next, next] };
  }
  return { $ref: "#/$defs/d0", $defs };
}

describe("a validation", () => {
  it("B7 counts a step for each schema that judges a value, and ends at its limit", () => {
    const items = { type: "array", items: { type: "integer" } };
    const value = Array.from({ length: 99 }, (_, at) => at);
    expect(mistakes(items, value, 100)).toEqual([]);
    expect(mistakes(items, [...value, 99], 100)).toEqual([": it takes more than 100 steps to validate"]);
  });

  it("B7 ends for a schema that doubles the work with each definition", () => {
    expect(mistakes(doubling(10), {})).toEqual([]);
    // Few enough to end within seconds without the limit, so that the test fails then.
    expect(mistakes(doubling(22), {})).toEqual([": it takes more than 100000 steps to validate"]);
  });

  it.each<[string, JsonObject, Json]>([
    ["fields of a large object", { allOf: Array(2_000).fill({ minProperties: 1 }) }, dictionary(50_000)],
    ["characters", { allOf: Array(2_000).fill({ minLength: 1 }) }, "x".repeat(1_000_000)],
    [
      "choices",
      { items: { enum: Array.from({ length: 50_000 }, (_, at) => at) } },
      Array(2_000).fill(49_999),
    ],
    [
      "parts of equal values",
      { items: { const: Array(2_000).fill(1) } },
      Array(500).fill(Array(2_000).fill(1)),
    ],
    ["required fields", { items: { not: { required: names(50_000) } } }, Array(2_000).fill(dictionary(10))],
    ["names that are allowed", { items: { properties: dictionary(50_000, true) } }, Array(2_000).fill({})],
    ["names in dependentRequired", { items: { dependentRequired: dictionary(5_000, []) } }, objects(1_000)],
    ["names in dependentSchemas", { items: { dependentSchemas: dictionary(5_000, {}) } }, objects(1_000)],
    ["names in dependencies", { items: { dependencies: dictionary(5_000, {}) } }, objects(1_000)],
    ["types", { items: { type: [...Array(5_000).fill("string"), "object"] } }, objects(1_000)],
    [
      "characters of equal texts",
      { allOf: Array(500).fill({ const: "x".repeat(1_000_000) }) },
      "x".repeat(1_000_000),
    ],
    [
      "characters of names in equal values",
      { allOf: Array(100).fill({ const: { ["x".repeat(500_000)]: 1 } }) },
      { ["x".repeat(500_000)]: 1 },
    ],
    [
      "copies of a text by the levels around it",
      { uniqueItems: true },
      [listsIn("x".repeat(1_000_000), 400), listsIn("y".repeat(1_000_000), 400)],
    ],
    [
      "comparisons of long texts of one length",
      { uniqueItems: true },
      Array.from({ length: 400 }, (_, at) => `${"x".repeat(20_000)}${at + 100}`),
    ],
    ["numbers in many digits", { items: { multipleOf: 1e-300 } }, Array(30_000).fill(1e300)],
    ["levels around a mistake", deepNot(1_000), listsIn(Array(3_000).fill(1), 999)],
  ])("B7 counts %s", (_, schema, value) => {
    expect(mistakes(schema, value)).toEqual([": it takes more than 100000 steps to validate"]);
  });

  it("B7 shows a value of the schema only in a mistake that counts, and only its beginning", () => {
    const stringify = vi.spyOn(JSON, "stringify");
    onTestFinished(() => stringify.mockRestore());
    const big = { const: "x".repeat(100_000) };
    expect(mistakes({ items: { not: big } }, Array(1_000).fill(1))).toEqual([]);
    expect(mistakes({ items: { anyOf: [big, { enum: [big] }, {}] } }, Array(1_000).fill(1))).toEqual([]);
    expect(stringify).not.toHaveBeenCalled();
    expect(mistakes(big, 1)).toEqual([`: Instance does not match "${"x".repeat(500)}".`]);
    const [listed = ""] = mistakes({ enum: names(10_000) }, 1);
    expect(listed.length).toBeLessThan(10_000);
  });

  it("B7 ends a choice at the first schema that fits", () => {
    const anyOf = Array(50_000).fill(true);
    expect(mistakes({ items: { anyOf } }, Array(20_000).fill(1))).toEqual([]);
  });

  it("B7 finds equal items among many by one look at each", () => {
    const items = Array.from({ length: 30_000 }, (_, at) => ({ at }));
    expect(mistakes({ uniqueItems: true }, items)).toEqual([]);
    expect(mistakes({ uniqueItems: true }, [...items, { at: 7 }])).toEqual([
      ": Duplicate items at indexes 7 and 30000.",
    ]);
  });

  it("B7 T3 stops at ten mistakes", () => {
    const schema = { items: { type: "object", additionalProperties: false } };
    const judge = judgeOf(schema);
    const value = Array.from({ length: 50_000 }, () => ({ a: 1, b: 2 }));
    // It looks at six items: two fields of each, then one step more.
    expect(findMistakes(judge, value, 20)).toHaveLength(10);
    expect(
      mistakes({ additionalProperties: false }, dictionary(200_000), Number.POSITIVE_INFINITY),
    ).toHaveLength(10);
  });

  it("B7 T3 keeps at most ten mistakes of schemas of which one must fit, and forgets those of one that need not", () => {
    const one: JsonObject = { items: { type: "string" } };
    const value = Array.from({ length: 1_000 }, (_, at) => at);
    expect(mistakes({ anyOf: [one, one] }, value)).toHaveLength(10);
    expect(mistakes({ anyOf: [one, { type: "array" }] }, value)).toEqual([]);
    expect(mistakes({ if: one, else: { maxItems: 3 } }, value)).toEqual([
      ": Array has too many items (1000 > 3).",
    ]);
    expect(mistakes({ not: one }, value)).toEqual([]);
  });

  it("B7 refuses what is nested too deeply, in the value and in the schema", () => {
    let value: Json = [];
    for (let level = 0; level < 20_000; level += 1) value = [value];
    const schema: JsonObject = { items: { $ref: "#" } };
    expect(mistakes(schema, value, Number.POSITIVE_INFINITY)).toEqual([": it is nested too deeply"]);
  });

  it.each<[number, string]>([
    [1_000, "Instance does not match []."],
    [1_600, "it is nested too deeply"],
    [20_000, "it is nested too deeply"],
  ])("B7 counts the levels of a value that it compares: %i", (levels, message) => {
    let value: Json = [];
    for (let level = 1; level < levels; level += 1) value = [value];
    expect(mistakes({ const: [] }, value, Number.POSITIVE_INFINITY)).toEqual([`: ${message}`]);
  });
});

function names(count: number): string[] {
  return Array.from({ length: count }, (_, at) => `k${at}`);
}

function dictionary(count: number, value: Json = 1): JsonObject {
  return Object.fromEntries(names(count).map((name) => [name, value]));
}
