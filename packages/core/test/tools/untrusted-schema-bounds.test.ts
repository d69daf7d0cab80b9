import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Json, type JsonObject, jsonSchema, type Schema, tool, validate } from "../../src/index.ts";
import { untrustedSchema } from "../../src/tools.ts";

const outcome = async (schema: Schema, value: unknown) => {
  const checked = await validate(schema, value);
  return checked.ok ? "ok" : checked.problems;
};

describe("B7 untrustedSchema()", () => {
  it("refuses a schema that is too large or too deep", () => {
    expect(() => untrustedSchema(nested(100))).not.toThrow();
    expect(() => untrustedSchema(nested(101))).toThrow(
      "A JSON Schema of a server may have at most 100 levels.",
    );
    expect(() => untrustedSchema({ enum: Array(20_001).fill(1) })).toThrow("at most 20000 values");
  });

  it.each<[string, (text: string) => JsonObject]>([
    ["name of a property", (name) => ({ properties: { [name]: {} } })],
    ["name of a definition", (name) => ({ $defs: { [name]: {} } })],
    ["name of an unknown keyword", (name) => ({ items: [{ [name]: {} }] })],
    ["$id", ($id) => ({ $id })],
    ["id", (id) => ({ not: { id } })],
    ["$ref", ($ref) => ({ properties: { a: { $ref } } })],
    ["$anchor", ($anchor) => ({ $anchor })],
    ["$dynamicAnchor", ($dynamicAnchor) => ({ $dynamicAnchor })],
  ])("refuses a long %s", (_, make) => {
    expect(() => untrustedSchema(make("a".repeat(1_000)))).not.toThrow();
    expect(() => untrustedSchema(make("a".repeat(1_001)))).toThrow("may have at most 1000 characters");
  });

  it("asserts no format, which jsonSchema() does", async () => {
    const schema = { format: "date" };
    expect(await outcome(untrustedSchema(schema), "soon")).toBe("ok");
    expect(await outcome(jsonSchema(schema), "soon")).toEqual(['String does not match format "date".']);
  });

  it.each<[string, JsonObject, Json]>([
    ["not", { not: { pattern: "^a" } }, "b"],
    ["oneOf", { oneOf: [{ pattern: "^a" }, { pattern: "^b" }] }, "b"],
    ["if", choice({ pattern: "^a" }, { maxLength: 1 }, {}), "bcd"],
    ["maxContains", { contains: { pattern: "^a" }, maxContains: 1 }, ["a", "b", "c"]],
    ["a reference in not", { not: { $ref: "#/$defs/a" }, $defs: { a: { pattern: "^a" } } }, "b"],
    [
      "unevaluatedProperties",
      { allOf: [{ patternProperties: { "^x-": { type: "string" } } }], unevaluatedProperties: false },
      { "x-a": "1" },
    ],
    [
      "a reference to a schema of oneOf",
      {
        properties: {
          a: { oneOf: [{ pattern: "^a" }, { pattern: "^b" }] },
          b: { $ref: "#/properties/a/oneOf/0" },
        },
      },
      { a: "b", b: "ab" },
    ],
    [
      "a reference to a schema of a pattern",
      {
        patternProperties: { "^a": { minLength: 1 } },
        properties: { b: { $ref: "#/patternProperties/%5Ea" } },
      },
      { b: "b" },
    ],
    ["a reference to a schema of not", { not: { pattern: "^a" }, anyOf: [{ $ref: "#/not" }, {}] }, "b"],
  ])("accepts a value that the schema accepts by a pattern: %s", async (_, schema, value) => {
    expect(await outcome(jsonSchema(schema), value)).toBe("ok");
    expect(await outcome(untrustedSchema(schema), value)).toBe("ok");
  });

  it("accepts all that the schema accepts", async () => {
    const { schema } = fc.letrec<{ schema: JsonObject }>((tie) => ({
      schema: fc.oneof(
        { maxDepth: 3 },
        fc.constantFrom<JsonObject>(
          { pattern: "^a" },
          { format: "date" },
          { minLength: 2 },
          { patternProperties: { "^a": { type: "string" } }, additionalProperties: false },
          { $ref: "#/$defs/p" },
          { type: "integer" },
        ),
        fc.record({ not: tie("schema") }),
        fc.tuple(tie("schema"), tie("schema"), tie("schema")).map((parts) => choice(...parts)),
        fc.record({ oneOf: fc.array(tie("schema"), { minLength: 1, maxLength: 3 }) }),
        fc.record({ anyOf: fc.array(tie("schema"), { minLength: 1, maxLength: 2 }) }),
        fc.record({
          allOf: fc.array(tie("schema"), { maxLength: 2 }),
          unevaluatedProperties: fc.constant(false),
        }),
        fc.record({ contains: tie("schema"), maxContains: fc.constant(1) }),
        fc.record({ properties: fc.record({ a: tie("schema") }), unevaluatedProperties: fc.constant(false) }),
        fc.record({ propertyNames: tie("schema") }),
        fc.record({ items: tie("schema"), uniqueItems: fc.boolean() }),
      ),
    }));
    const { value } = fc.letrec<{ value: Json }>((tie) => ({
      value: fc.oneof(
        { maxDepth: 2 },
        fc.constantFrom<Json>("a", "ab", "b", "2026-11-28", 1, 1.5, null),
        fc.dictionary(fc.constantFrom("a", "ab", "b"), tie("value"), { maxKeys: 2 }) as fc.Arbitrary<Json>,
        fc.array(tie("value"), { maxLength: 3 }) as fc.Arbitrary<Json>,
      ),
    }));
    let accepted = 0;
    await fc.assert(
      fc.asyncProperty(schema, fc.array(value, { minLength: 6, maxLength: 12 }), async (part, values) => {
        const whole: JsonObject = { ...part, $defs: { p: { pattern: "b$" } } };
        for (const one of values) {
          if ((await outcome(jsonSchema(whole), one)) !== "ok") continue;
          accepted += 1;
          expect([one, await outcome(untrustedSchema(whole), one)]).toEqual([one, "ok"]);
        }
      }),
      { numRuns: 400 },
    );
    expect(accepted).toBeGreaterThan(100);
  });
});

describe("problems", () => {
  it("B7 T3 are at most ten, each of at most 500 characters", async () => {
    const many = Object.fromEntries(Array.from({ length: 5_000 }, (_, at) => [`field-${at}`, 1]));
    const checked = await validate(
      jsonSchema({ additionalProperties: { type: "string" }, required: ["x".repeat(5_000)] }),
      many,
    );
    expect(checked).toMatchObject({ ok: false });
    if (checked.ok) return;
    expect(checked.problems).toHaveLength(10);
    for (const problem of checked.problems) expect(problem.length).toBeLessThanOrEqual(500);
  });

  it("B7 T1 name a keyword that is not evaluated when the tool is defined", () => {
    const input = jsonSchema({ type: "object", properties: { a: { $dynamicRef: "#a" } } });
    expect(() => tool({ name: "a", description: "", input, execute: () => "" })).toThrow('"$dynamicRef"');
  });
});

function nested(levels: number): JsonObject {
  let schema: JsonObject = {};
  for (let level = 1; level < levels; level += 1) schema = { not: schema };
  return schema;
}

/** A schema of `if`, `then` and `else`. */
function choice(...parts: [JsonObject, JsonObject, JsonObject]): JsonObject {
  return Object.fromEntries(["if", "then", "else"].map((key, at) => [key, parts[at] as JsonObject]));
}
