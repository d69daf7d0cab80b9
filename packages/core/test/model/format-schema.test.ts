import { describe, expect, it } from "vitest";
import * as z from "zod";
import { type JsonObject, toJsonSchema } from "../../src/index.ts";
import { formatSchema } from "../../src/model.ts";

const RULES = { levels: 4, fields: 20, optional: 2, unions: 2, values: 5, formats: ["email"] };
const form = (schema: JsonObject) => formatSchema(schema, RULES);
const text = { type: "string" };

describe("formatSchema", () => {
  it("F2 forbids other fields, and moves bounds into descriptions", () => {
    const schema = toJsonSchema(
      z.object({
        mail: z.email(),
        at: z.iso.date(),
        stars: z.int().min(1).max(5).describe("How good it is."),
        tags: z.array(z.string().max(9)).min(2).default([]),
        kind: z.discriminatedUnion("t", [z.object({ t: z.literal("a") }), z.object({ t: z.literal("b") })]),
      }),
    );
    const formed = form(schema);
    expect(formed).toMatchObject({
      additionalProperties: false,
      required: ["mail", "at", "stars", "kind"],
      properties: {
        mail: { type: "string", format: "email" },
        at: { type: "string", description: expect.stringContaining('"format":"date"') },
        stars: { type: "integer", description: 'How good it is.\n{"minimum":1,"maximum":5}' },
        tags: { type: "array", items: { type: "string", description: '{"maxLength":9}' } },
        kind: { anyOf: [{ properties: { t: { const: "a" } } }, { additionalProperties: false }] },
      },
    });
    expect(JSON.stringify(formed)).not.toContain('"pattern":"^');
  });

  it("F2 returns its own result unchanged", () => {
    const formed = form({ type: "object", properties: { a: { ...text, minLength: 2 } }, required: ["a"] });
    expect(form(formed as JsonObject)).toEqual(formed);
  });

  it("F2 puts definitions in the place of references", () => {
    const point = z.object({ lat: z.number(), lon: z.number() }).meta({ id: "Point", title: "A place" });
    const formed = form(toJsonSchema(z.object({ from: point, to: point.describe("The end.") })));
    const place = { type: "object", title: "A place", properties: { lat: {}, lon: {} } };
    expect(formed).toMatchObject({ properties: { from: place, to: { ...place, description: "The end." } } });
    expect(JSON.stringify(formed)).not.toMatch(/\$ref|\$defs/);
    const named = { $defs: { "a/b~c": text }, definitions: { "a/b~c": { type: "null" } } };
    const refs = { x: { $ref: "#/$defs/a~1b~0c" }, y: { $ref: "#/definitions/a~1b~0c" } };
    expect(form({ type: "object", properties: refs, ...named })?.properties).toEqual({
      x: text,
      y: { type: "null" },
    });
    const list = { type: "array", items: { $ref: "#/properties/value/$defs/A" }, $defs: { A: text } };
    expect(form({ type: "object", properties: { value: list } })).toMatchObject({
      properties: { value: { items: text } },
    });
  });

  it("F2 says of which type the values of an enum are", () => {
    const kinds = z.object({ a: z.literal(["x", 1]), b: z.literal(null), c: z.literal(true) });
    expect(form(toJsonSchema(kinds))?.properties).toMatchObject({
      a: { type: ["string", "number"], enum: ["x", 1] },
      b: { type: "null" },
      c: { type: "boolean" },
    });
    expect(form({ type: "object", properties: { a: { const: "x" } } })?.properties).toEqual({
      a: { type: "string", const: "x" },
    });
  });

  it("F2 keeps a field named __proto__", () => {
    const fields = JSON.parse('{"__proto__":{"type":"string"}}') as JsonObject;
    const formed = form({ type: "object", properties: fields, required: ["__proto__"] });
    expect(Object.keys(formed?.properties as object)).toEqual(["__proto__"]);
    expect(form({ type: "object", properties: {}, required: ["__proto__"] })).toBeUndefined();
    expect(form({ type: "object", properties: { a: { $ref: "#/__proto__" } } })).toBeUndefined();
  });

  it.each<[string, JsonObject]>([
    ["any keys", { type: "object", additionalProperties: text }],
    ["any object", { type: "object" }],
    ["any value", { type: "object", properties: { a: {} } }],
    ["recursion", { type: "object", properties: { a: { $ref: "#" } } }],
    [
      "recursion of a definition",
      {
        type: "object",
        properties: { a: { $ref: "#/$defs/A" } },
        $defs: { A: { anyOf: [{ $ref: "#/$defs/A" }, text] } },
      },
    ],
    [
      "recursion through two definitions",
      {
        type: "object",
        properties: { a: { $ref: "#/$defs/A" } },
        $defs: { A: { $ref: "#/$defs/B" }, B: { $ref: "#/$defs/A" } },
      },
    ],
    ["a reference to nothing", { type: "object", properties: { a: { $ref: "#/$defs/A" } } }],
    ["an outer reference", { type: "object", properties: { a: { $ref: "https://a.example/b" } } }],
    ["an anchor", { type: "object", properties: { a: { $ref: "#b" } }, $defs: { b: { $anchor: "b" } } }],
    ["a mistaken reference", { type: "object", properties: { a: { $ref: 5 } } }],
    ["a required field that it lacks", { type: "object", properties: { a: text }, required: ["b"] }],
    ["required fields of a text", { type: "object", properties: { a: { ...text, required: ["b"] } } }],
    ["too many values", { type: "object", properties: { a: { enum: ["a", "b", "c", "d", "e", "f"] } } }],
    ["a list without items", { type: "array" }],
    ["patterns of keys", { type: "object", properties: {}, patternProperties: { a: text } }],
    ["conditions", { type: "object", properties: { a: text }, if: {}, else: {} }],
    ["values that are objects", { enum: [{ a: 1 }] }],
    [
      "too many levels",
      {
        type: "array",
        items: {
          type: "array",
          items: { type: "array", items: { type: "array", items: { type: "array", items: text } } },
        },
      },
    ],
    ["too many unions", { anyOf: [{ type: ["string", "null"] }, { type: ["number", "null"] }] }],
    ["too many optional fields", { type: "object", properties: { a: text, b: text, c: text } }],
    [
      "too many fields",
      {
        type: "object",
        properties: Object.fromEntries(Array.from({ length: 21 }, (_, n) => [n, text])),
        required: Array.from({ length: 21 }, (_, n) => `${n}`),
      },
    ],
    ["a mistaken `properties`", { type: "object", properties: 5 as never }],
    ["a mistaken `anyOf`", { anyOf: "a" }],
    ["no schema", { type: "object", properties: { a: true } }],
  ])("F2 cannot express %s", (_, schema) => {
    expect(form(schema)).toBeUndefined();
  });
});
