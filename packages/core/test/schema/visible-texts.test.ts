import { expect, it } from "vitest";
import { toJsonSchema } from "../../src/index.ts";
import { untrustedSchema, withoutHiddenIn } from "../../src/tools.ts";

it("B9 T14 cleans the words of fields that have the names of keywords", () => {
  const field = (description: string) => ({ type: "string", description });
  const named = (description: string) =>
    Object.fromEntries(["default", "const", "enum", "examples"].map((name) => [name, field(description)]));
  const parts = ["properties", "patternProperties", "$defs", "definitions", "dependentSchemas"];
  const schema = (said: string) => ({
    type: "object",
    ...Object.fromEntries(parts.map((part) => [part, named(said)])),
    items: { properties: named(said) },
  });
  expect(withoutHiddenIn(schema("A\u200b word\u{e0041}"))).toEqual(schema("A word"));
});

it("T14 cleans the words of a schema, and neither its names nor its data", () => {
  const schema = {
    type: "object",
    title: "A\u200b",
    description: "B\u202e",
    properties: { description: { type: "string", description: "C\u{e0041}", enum: ["x\u200b"] } },
    allOf: [{ title: "D\u2066" }, { const: { title: "E\u200b" } }],
    required: ["description"],
  };
  const shown = {
    ...schema,
    title: "A",
    description: "B",
    properties: { description: { type: "string", description: "C", enum: ["x\u200b"] } },
    allOf: [{ title: "D" }, { const: { title: "E\u200b" } }],
  };
  expect(withoutHiddenIn(schema)).toEqual(shown);
  expect(toJsonSchema(untrustedSchema(schema), "answers")).toEqual(shown);
});
