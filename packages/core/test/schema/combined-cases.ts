import type { Json, JsonObject } from "../../src/index.ts";
import type { Case } from "./keyword-cases.ts";

const text = { type: "string" };
const whole = { type: "integer" };
const A: JsonObject = { a: 1 };
const B: JsonObject = { b: 2 };
const AB: JsonObject = { a: 1, b: 2 };

// The linter refuses the name in an object: one with a method `then` is a promise.
const THEN = "then";

/** Returns a condition. */
function when(test: Json | undefined, yes: Json, no?: Json): JsonObject {
  const entries = Object.entries({ if: test, else: no }).filter(([, part]) => part !== undefined);
  return Object.fromEntries([...entries, [THEN, yes]]) as JsonObject;
}

/** For each keyword that joins schemas or leads to them: schemas with values, valid and not. */
export const COMBINED: Readonly<Record<string, readonly Case[]>> = {
  allOf: [
    [{ allOf: [text, { minLength: 2 }] }, ["a", "ab", 5]],
    [{ allOf: [true, false] }, [1]],
  ],
  anyOf: [[{ anyOf: [text, { minimum: 2 }] }, ["a", 1, 2, null]]],
  oneOf: [
    [{ oneOf: [whole, { minimum: 2 }] }, [1, 2.5, 3, 1.5, "a"]],
    [{ oneOf: [true, true, false] }, [1]],
    [
      {
        oneOf: [
          { properties: { a: {} }, required: ["a"] },
          { properties: { b: {} }, required: ["b"] },
        ],
        unevaluatedProperties: false,
      },
      [A, B, AB, {}],
    ],
  ],
  not: [
    [{ not: text }, ["a", 1]],
    [{ not: {} }, [1]],
    [{ not: { not: whole } }, [1, "a"]],
    [{ not: { properties: { a: {} } }, unevaluatedProperties: false }, [A, {}]],
  ],
  if: [
    [when(text, { minLength: 2 }, { minimum: 2 }), ["a", "ab", 1, 2, null]],
    [{ if: text }, ["a", 1]],
    [when(undefined, false, false), [1]],
    [{ if: false, else: false }, [1]],
    [when(true, whole), [1, "a"]],
    [
      {
        ...when(
          { properties: { a: { const: 1 } }, required: ["a"] },
          { properties: { b: {} } },
          { properties: { c: {} } },
        ),
        unevaluatedProperties: false,
      },
      [A, AB, { c: 1 }, { a: 2 }, { a: 1, c: 1 }, {}],
    ],
  ],
  unevaluatedProperties: [
    [{ properties: { a: {} }, unevaluatedProperties: false }, [{}, A, AB]],
    [{ unevaluatedProperties: text }, [{}, A, { a: "x" }]],
    [{ allOf: [{ properties: { a: {} } }], unevaluatedProperties: false }, [A, AB]],
    [
      {
        anyOf: [
          { properties: { a: {} }, required: ["a"] },
          { properties: { b: {} }, required: ["b"] },
        ],
        unevaluatedProperties: false,
      },
      [A, B, AB, { a: 1, c: 1 }],
    ],
    [{ $ref: "#/$defs/x", $defs: { x: { properties: { a: {} } } }, unevaluatedProperties: false }, [A, AB]],
    [{ allOf: [{ patternProperties: { "^a": {} } }], unevaluatedProperties: false }, [A, { ax: 1 }, B]],
    [{ allOf: [{ properties: { a: {} }, unevaluatedProperties: true }], unevaluatedProperties: false }, [AB]],
    [{ allOf: [{ additionalProperties: whole }], unevaluatedProperties: false }, [AB, { a: "x" }]],
    [{ properties: { n: { unevaluatedProperties: false, properties: { a: {} } } } }, [{ n: A }, { n: AB }]],
    [{ properties: { a: {} }, allOf: [{ unevaluatedProperties: false }] }, [A, {}]],
  ],
  unevaluatedItems: [
    [{ prefixItems: [text], unevaluatedItems: false }, [[], ["a"], ["a", 1]]],
    [{ unevaluatedItems: whole }, [[1], ["a"]]],
    [{ allOf: [{ prefixItems: [true] }], unevaluatedItems: false }, [[1], [1, 2]]],
    [{ allOf: [{ items: whole }], unevaluatedItems: false }, [[1, 2], ["a"]]],
    [{ contains: whole, unevaluatedItems: text }, [[1, "a"], [1, null], ["a"]]],
    [
      {
        ...when({ prefixItems: [{ const: 1 }], minItems: 1 }, { prefixItems: [true, true] }),
        unevaluatedItems: false,
      },
      [[1, 2], [2], [1, 2, 3], []],
    ],
    [
      { anyOf: [{ prefixItems: [whole] }, { prefixItems: [true, text] }], unevaluatedItems: false },
      [[1], [1, "a"], [1, 2]],
    ],
  ],
  $ref: [
    [{ $ref: "#/$defs/x", $defs: { x: whole } }, [1, "a"]],
    [{ $ref: "#/$defs/x", minimum: 2, $defs: { x: whole } }, [1, 2, "a"]],
    [
      { properties: { next: { $ref: "#" }, v: whole }, required: ["v"] },
      [{ v: 1 }, { v: 1, next: { v: 2 } }, { v: 1, next: {} }, { v: 1, next: 5 }],
    ],
    [{ $ref: "#/$defs/a~1b", $defs: { "a/b": whole } }, [1, "a"]],
    [{ properties: { a: text, b: { $ref: "#/properties/a" } } }, [{ b: "x" }, { b: 1 }]],
    [{ $ref: "#/$defs/x", $defs: { x: false } }, [1]],
  ],
  $defs: [[{ $defs: { x: false } }, [1, {}]]],
  $id: [
    [
      { $id: "https://kit.example/root", items: { $ref: "item" }, $defs: { i: { $id: "item", ...whole } } },
      [[1], ["a"]],
    ],
  ],
  $anchor: [[{ items: { $ref: "#it" }, $defs: { x: { $anchor: "it", ...text } } }, [["a"], [1]]]],
  $dynamicAnchor: [
    [{ items: { $ref: "#it" }, $defs: { x: { $dynamicAnchor: "it", ...text } } }, [["a"], [1]]],
  ],
  annotations: [
    [
      {
        title: "t",
        description: "d",
        default: 5,
        examples: [1],
        deprecated: true,
        readOnly: true,
        writeOnly: true,
        $comment: "c",
        type: "string",
      },
      ["a", 5],
    ],
    [
      { contentEncoding: "base64", contentMediaType: "application/json", contentSchema: whole },
      ["!", "a", 5],
    ],
  ],
};
