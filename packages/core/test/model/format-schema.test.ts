import { describe, expect, it } from "vitest";
import * as z from "zod";
import { type JsonObject, toJsonSchema } from "../../src/index.ts";
import { formatSchema } from "../../src/model.ts";

const RULES = { levels: 4, fields: 20, optional: 2, unions: 2, formats: ["email"] };
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

  it.each<[string, JsonObject]>([
    ["any keys", { type: "object", additionalProperties: text }],
    ["any object", { type: "object" }],
    ["any value", { type: "object", properties: { a: {} } }],
    ["recursion", { type: "object", properties: { a: { $ref: "#" } } }],
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
