import { describe, expect, expectTypeOf, it } from "vitest";
import * as z from "zod";
import { PawlError, tool } from "../../src/index.ts";
import { text } from "../support/tools.ts";

describe("the definition of a tool", () => {
  it("T1 infers the input from the schema and describes it to the model as it is taken in", () => {
    const made = tool({
      name: "add",
      description: "Adds.",
      input: z.object({ a: z.number(), b: z.number().default(1) }),
      category: "maths",
      timeoutMs: 1000,
      status: { start: "Adding…", done: "Added" },
      execute: (input) => {
        expectTypeOf(input).toEqualTypeOf<{ a: number; b: number }>();
        return input.a + input.b;
      },
    });
    expect(made.spec.input_schema).toMatchObject({ type: "object", required: ["a"] });
    expect(made).toMatchObject({ category: "maths", timeoutMs: 1000, idempotent: false, endsRun: false });
  });

  it.each<[string, object, RegExp | typeof PawlError]>([
    ["its name is no name for the API", { name: "bad name" }, PawlError],
    ["its input is no object", { input: z.string() }, /object/],
    ["its input cannot be described in JSON Schema", { input: z.object({ at: z.date() }) }, /JSON Schema/],
    ["it does nothing", { execute: undefined }, /execute/],
  ])("T1 is refused when it is made, if %s", (_why, options, expected) => {
    const make = () => tool({ name: "t", description: "", input: text, execute: () => 1, ...options });
    expect(make).toThrow(expected);
  });
});
