import { jsonSchema, validate } from "@pawl/core";
import { describe, expect, it } from "vitest";
import { formAnswer } from "../src/tools/form.ts";
import { questionFor } from "../src/tools/question.ts";

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

  it("is judged in a counted number of steps", async () => {
    const choices = Array.from({ length: 5_000 }, (_, at) => `${at}`);
    const a = { type: "array", items: { type: "string", enum: choices } };
    const params = { message: "m", requestedSchema: { type: "object", properties: { a } } };
    const { answer } = questionFor("s", "t", { method: "elicitation/create", params });
    const content = { a: Array(40_000).fill("4999") };
    expect(await validate(answer, { action: "accept", content: { a: ["4999"] } })).toMatchObject({
      ok: true,
    });
    expect(await validate(answer, { action: "accept", content })).toMatchObject({
      ok: false,
      problems: ["it takes more than 50000 steps to validate"],
    });
  });

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

  it.each<[string, object]>([
    ["password", { type: "string" }],
    ["db_passPhrase", { type: "string" }],
    ["secret", { type: "string", title: "Your p\u200bass\u2060word" }],
    ["pass\u200dword", { type: "string" }],
    ["secret", { type: "string", title: "Your pass\ufe0fword" }],
    ["default", { type: "string", title: "Ihr Passwort" }],
    ["code", { type: "string", title: "The ｐａｓｓｃｏｄｅ of your phone" }],
    ["a", { type: "string", format: "password" }],
    ["b", { type: "string", writeOnly: true }],
  ])("may not ask for a secret by the field %s of %j", (name, field) => {
    const form = { type: "object", properties: { [name]: field as never } };
    expect(() => formAnswer(form)).toThrow("asks for a secret, which only a page of the server may do");
  });

  it.each<[string, object]>([
    ["na\u202eme", { type: "string" }],
    ["size", { type: "string", enum: ["S", "L\u{e0041}"] }],
    ["color", { type: "string", oneOf: [{ const: "r\u200b", title: "Red" }] }],
    ["days", { type: "array", items: { type: "string", enum: ["Mo\u0000"] } }],
  ])("may not have what nobody sees, in the field %j of %j", (name, field) => {
    const form = { type: "object", properties: { [name]: field as never } };
    expect(() => formAnswer(form)).toThrow("has invisible characters");
  });

  it("shows a value to begin with, and the words of any field, without what nobody sees", () => {
    const field = { type: "string", title: "Na\u202eme", default: "A\u{e0041}da" };
    const days = { type: "array", items: { type: "string", enum: ["Mo"] }, default: ["Mo\u200b"] };
    const properties = { default: field, examples: field, days };
    const params = { message: "m", requestedSchema: { type: "object", properties } };
    const { payload } = questionFor("s", "t", { method: "elicitation/create", params });
    const shown = { type: "string", title: "Name", default: "Ada" };
    expect(payload).toMatchObject({
      requestedSchema: { properties: { default: shown, examples: shown, days: { default: ["Mo"] } } },
    });
  });

  it("shows the names of choices without what nobody sees", () => {
    const size = { type: "string", enum: ["S"], enumNames: ["Sm\u202eall\u{e0041}"] };
    const params = { message: "m", requestedSchema: { type: "object", properties: { size } } };
    const { payload } = questionFor("s", "t", { method: "elicitation/create", params });
    expect(payload).toMatchObject({ requestedSchema: { properties: { size: { enumNames: ["Small"] } } } });
  });
});
