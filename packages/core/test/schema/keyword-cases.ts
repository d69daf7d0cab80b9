import type { Json, JsonObject } from "../../src/index.ts";

/** A schema, and values that other validators judge with it. */
export type Case = readonly [schema: JsonObject, values: readonly Json[]];

const text = { type: "string" };
const whole = { type: "integer" };
const A: JsonObject = { a: 1 };
const B: JsonObject = { b: 2 };
const AB: JsonObject = { a: 1, b: 2 };
const EACH: readonly Json[] = [null, true, 0, 1.5, "", "a", [], [1], {}, A];

/** For each keyword of draft 2020-12 about one value: schemas with values, valid and not. */
export const CASES: Readonly<Record<string, readonly Case[]>> = {
  type: [
    ...["null", "boolean", "object", "array", "number", "integer", "string"].map(
      (type): Case => [{ type }, [...EACH, 1.0, -0, 1e300]],
    ),
    [{ type: ["string", "null"] }, EACH],
  ],
  enum: [[{ enum: [1, "a", null, [1], A, false] }, [...EACH, 1, 1.0, [1, 2], "1", false, { a: 1.0 }]]],
  const: [
    [{ const: { a: [1, null] } }, [{ a: [1, null] }, { a: [null, 1] }, { a: [1] }, {}]],
    [{ const: 0 }, [0, -0, false, "", null]],
    [{ const: null }, EACH],
    [{ const: AB }, [{ b: 2, a: 1 }, AB, A]],
  ],
  multipleOf: [
    [{ multipleOf: 2 }, [0, 2, 3, -4, 1.5, "2"]],
    [{ multipleOf: 0.25 }, [0.5, 0.75, 0.3, 1e10]],
  ],
  maximum: [[{ maximum: 3 }, [2.9, 3, 3.1, "4"]]],
  exclusiveMaximum: [[{ exclusiveMaximum: 3 }, [2.9, 3, 3.1, null]]],
  minimum: [[{ minimum: -1 }, [-1.1, -1, 0, []]]],
  exclusiveMinimum: [[{ exclusiveMinimum: -1 }, [-1, -0.9, {}]]],
  maxLength: [[{ maxLength: 2 }, ["", "ab", "abc", "😀😀", "😀😀😀", 123]]],
  minLength: [[{ minLength: 2 }, ["", "a", "ab", "😀", "é", 1]]],
  pattern: [
    [{ pattern: "^a+$" }, ["a", "aa", "b", "ab", 5]],
    [{ pattern: "\\p{Letter}" }, ["é", "1"]],
    [{ pattern: "b" }, ["abc", "ac"]],
  ],
  format: [[{ format: "made-up" }, ["x", 1, null]]],
  maxItems: [[{ maxItems: 1 }, [[], [1], [1, 2], "ab"]]],
  minItems: [[{ minItems: 1 }, [[], [1], {}]]],
  uniqueItems: [
    [
      { uniqueItems: true },
      [
        [1, 2],
        [1, 1],
        [1, true],
        [0, false],
        [A, { a: 1 }],
        [AB, { b: 2, a: 1 }],
        ["1", 1],
        [[1], [1]],
      ],
    ],
    [{ uniqueItems: false }, [[1, 1]]],
    [
      { prefixItems: [text, text], items: false, uniqueItems: true },
      [
        ["a", "a"],
        ["a", "b"],
        ["a", "b", "c"],
      ],
    ],
  ],
  prefixItems: [
    [{ prefixItems: [text, whole] }, [[], ["a"], ["a", 1], ["a", "b"], [1], ["a", 1, null], {}]],
    [{ prefixItems: [true, false] }, [[], [1], [1, 2]]],
  ],
  items: [
    [{ items: text }, [[], ["a"], ["a", 1], "a"]],
    [{ items: false }, [[], [1]]],
    [{ prefixItems: [whole], items: text }, [[1], [1, "a"], [1, 2], ["a"]]],
  ],
  contains: [
    [{ contains: whole }, [[], ["a"], ["a", 1], {}]],
    [{ contains: false }, [[], [1]]],
    [{ contains: { const: 1 }, items: whole }, [[1, 2], [2], [1, "a"]]],
  ],
  minContains: [
    [{ contains: whole, minContains: 2 }, [[1], [1, 2], [1, "a", 2]]],
    [{ contains: whole, minContains: 0 }, [[], ["a"], [1]]],
    [{ minContains: 2 }, [[], [1]]],
  ],
  maxContains: [
    [{ contains: whole, maxContains: 1 }, [[], [1], [1, 2], ["a", 1]]],
    [{ contains: whole, minContains: 0, maxContains: 1 }, [[], [1], [1, 2]]],
    [{ maxContains: 1 }, [[1, 2]]],
  ],
  maxProperties: [[{ maxProperties: 1 }, [{}, A, AB, [1, 2]]]],
  minProperties: [[{ minProperties: 1 }, [{}, A, []]]],
  required: [
    [{ required: ["a"] }, [{}, A, { a: null }, [], "a"]],
    [{ required: ["toString", "constructor"] }, [{}, { toString: 1, constructor: 1 }]],
    [{ required: [] }, [{}]],
  ],
  dependentRequired: [[{ dependentRequired: { a: ["b"], c: [] } }, [{}, A, B, AB, { c: 1 }, "a"]]],
  dependentSchemas: [
    [{ dependentSchemas: { a: { required: ["b"] }, c: false } }, [{}, A, AB, B, { c: 1 }, []]],
    [
      {
        properties: { a: {} },
        dependentSchemas: { a: { properties: { b: text } } },
        unevaluatedProperties: false,
      },
      [A, AB, { a: 1, b: "x" }, { b: "x" }],
    ],
  ],
  properties: [
    [{ properties: { a: text, b: false } }, [{}, { a: "x" }, A, B, [], { c: 1 }]],
    [{ properties: { toString: text, __proto__x: whole } }, [{}, { toString: 1 }, { toString: "a" }]],
  ],
  patternProperties: [
    [
      { patternProperties: { "^a": whole, b$: { minimum: 2 } } },
      [{}, { ax: 1 }, { ax: "1" }, { ab: 1 }, { ab: 2 }, { c: "x" }],
    ],
    [{ patternProperties: { "^a": false } }, [A, B]],
  ],
  additionalProperties: [
    [{ properties: { a: {} }, additionalProperties: false }, [{}, A, AB]],
    [
      { properties: { a: {} }, patternProperties: { "^b": {} }, additionalProperties: text },
      [AB, { c: "x" }, { c: 1 }],
    ],
    [{ allOf: [{ properties: { a: {} } }], additionalProperties: false }, [A, {}]],
  ],
  propertyNames: [
    [{ propertyNames: { maxLength: 1 } }, [{}, A, { ab: 1 }, []]],
    [{ propertyNames: { enum: ["a"] } }, [A, B]],
    [{ propertyNames: false }, [{}, A]],
  ],
};
