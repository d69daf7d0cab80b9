import { jsonSchema, validate } from "@pawl/core";
import { describe, expect, it } from "vitest";
import { formAnswer } from "../src/tools/form.ts";

describe("B7 F24 the answer to a server's form", () => {
  const form = {
    type: "object",
    title: "Who are you?",
    properties: {
      name: {
        type: "string",
        title: "Name",
        minLength: 1,
        maxLength: 5,
        pattern: "^(a+)+$",
        format: "email",
      },
      age: { type: "integer", minimum: 0, maximum: 150, default: 30 },
      ok: { type: "boolean" },
      size: { type: "string", enum: ["S", "L"], enumNames: ["Small", "Large"] },
      color: {
        type: "string",
        oneOf: [
          { const: "#f00", title: "Red" },
          { const: "#0f0", title: "Green" },
        ],
      },
      days: { type: "array", minItems: 1, items: { type: "string", enum: ["Mo", "Tu"] } },
      more: { type: "array", maxItems: 1, items: { anyOf: [{ const: "a", title: "A" }] } },
    },
    required: ["name"],
    $defs: { unused: {} },
  };
  const schema = jsonSchema(formAnswer(form));

  it.each([
    [{ name: "aaa!" }],
    [{ name: "Ada", age: 36, ok: true, size: "S", color: "#0f0", days: ["Mo"], more: [] }],
  ])("may be %j", async (answer) => {
    expect((await validate(schema, answer)).ok).toBe(true);
  });

  it.each([
    [{}],
    [{ name: "" }],
    [{ name: "Ada Lovelace" }],
    [{ name: "Ada", age: 1.5 }],
    [{ name: "Ada", ok: "yes" }],
    [{ name: "Ada", size: "M" }],
    [{ name: "Ada", color: "Red" }],
    [{ name: "Ada", days: [] }],
    [{ name: "Ada", more: ["a", "a"] }],
  ])("may not be %j", async (answer) => {
    expect((await validate(schema, answer)).ok).toBe(false);
  });

  it.each([{ type: "object" }, { type: "array", items: { type: "string" } }, { type: ["string"] }, 5])(
    "may not have the field %j",
    (field) => {
      expect(() => formAnswer({ type: "object", properties: { x: field } })).toThrow(
        'its field "x" must be a string, number, integer or boolean, or a choice of one or more strings',
      );
    },
  );
});
