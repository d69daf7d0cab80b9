import { toStandardJsonSchema } from "@valibot/to-json-schema";
import { type } from "arktype";
import * as v from "valibot";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import * as mini from "zod/mini";
import { z as z3 } from "zod/v3";
import { jsonSchema, PawlError, type Schema, toJsonSchema, tool, validate } from "../../src/index.ts";
import { setup } from "../support/setup.ts";

const plain = (schema: object) => jsonSchema(schema as never);
const make = (input: unknown) =>
  tool({ name: "t", description: "", input: input as Schema, execute: () => 1 });
const ask = (answer: unknown) =>
  tool({ name: "t", description: "", input: z.object({}), suspends: { answer: answer as Schema } });

const category = z.object({
  name: z.string(),
  get children() {
    return z.array(category);
  },
});

describe("schemas of tools", () => {
  it.each<[string, Schema<{ city: string; days: number }>]>([
    ["zod 4", z.object({ city: z.string().min(2), days: z.number().default(3) })],
    ["ArkType", type({ city: "string >= 2", days: "number = 3" })],
    [
      "Valibot",
      toStandardJsonSchema(
        v.object({ city: v.pipe(v.string(), v.minLength(2)), days: v.optional(v.number(), 3) }),
      ),
    ],
  ])("T1 T3 of %s describe the input, validate it and fill it in", async (_library, input) => {
    const seen: unknown[] = [];
    const trip = tool({ name: "trip", description: "", input, execute: (given) => void seen.push(given) });
    expect(trip.spec.input_schema).toMatchObject({
      type: "object",
      properties: { city: { type: "string", minLength: 2 }, days: { type: "number" } },
      required: ["city"],
    });
    expect(trip.spec.input_schema).not.toHaveProperty("$schema");
    const calls = [{ city: "Oslo" }, { city: "X", days: "two" }];
    const script = [{ tools: calls.map((given) => ({ name: "trip", input: given })) }, { text: "Ok." }];
    const { say, model } = setup(script, { tools: [trip] });
    const { actions } = await say("Go");
    expect(seen).toEqual([{ city: "Oslo", days: 3 }]);
    expect(String(actions[1]?.result)).toMatch(/city:.*days:/);
    expect(model.rejected).toEqual([]);
  });

  const either = z.discriminatedUnion("by", [z.object({ by: z.literal("bus") })]);
  it.each<[string, Schema, unknown, string[]]>([
    [
      "zod",
      z.object({ city: z.string() }),
      {},
      ["city: is missing (Invalid input: expected string, received undefined)"],
    ],
    [
      "zod, in a list",
      z.object({ at: z.array(z.object({ city: z.string() })) }),
      { at: [{}] },
      ["at.0.city: is missing (Invalid input: expected string, received undefined)"],
    ],
    [
      "zod, by a field",
      z.object({ way: either }),
      { way: {} },
      ["way.by: is missing (Invalid discriminator value. Expected 'bus')"],
    ],
    [
      "zod, with null",
      z.object({ city: z.string() }),
      { city: null },
      ["city: Invalid input: expected string, received null"],
    ],
    [
      "zod, without anything",
      z.object({}),
      undefined,
      ["Invalid input: expected object, received undefined"],
    ],
    [
      "zod, with a name that every object has",
      z.object({ constructor: z.string() }),
      {},
      ["constructor: is missing (Invalid input: expected string, received function)"],
    ],
    ["ArkType", type({ city: "string" }), {}, ["city: city must be a string (was missing)"]],
    [
      "Valibot",
      toStandardJsonSchema(v.object({ city: v.string() })),
      {},
      ['city: is missing (Invalid key: Expected "city" but received undefined)'],
    ],
    ["JSON Schema", plain({ type: "object", required: ["city", "days"] }), { days: 1 }, ["city: is missing"]],
    [
      "JSON Schema, further in",
      plain({ properties: { at: { items: { required: ["a/b"] } } } }),
      { at: [{}] },
      ["at.0.a/b: is missing"],
    ],
  ])("U6 T3 of %s name a field that is missing", async (_library, schema, value, problems) => {
    expect(await validate(schema, value)).toEqual({ ok: false, problems });
  });

  it.each<[string, Schema]>([
    ["at the root", category],
    ["below the root", z.object({ first: category })],
    ["through lazy", z.lazy(() => category)],
    ["by name", category.meta({ id: "Category" })],
    ["in ArkType", type({ name: "string", "children?": "this[]" })],
  ])("T1 may be recursive: %s", async (_title, input) => {
    const { say, model } = setup([{ text: "Ok." }], { tools: [make(input)] });
    await say("Go");
    expect(model.rejected).toEqual([]);
    expect(model.requests[0]?.tools).toMatchObject([{ input_schema: { type: "object" } }]);
  });

  it("T1 with a name are given without a reference, unless they hold one", () => {
    const point = z.object({ x: z.number() }).meta({ id: "Point", description: "A place." });
    expect(make(point).spec.input_schema).toEqual({
      description: "A place.",
      type: "object",
      properties: { x: { type: "number" } },
      required: ["x"],
    });
    const tree = z
      .object({
        get next(): z.ZodOptional<typeof point> {
          return tree.optional() as never;
        },
      })
      .meta({ id: "Tree" });
    const next = { $ref: "#/$defs/Tree" };
    expect(make(z.lazy(() => tree)).spec.input_schema).toEqual({
      type: "object",
      properties: { next },
      $defs: { Tree: { type: "object", properties: { next } } },
    });
  });

  const object = (x: unknown) => z.object({ x: x as z.ZodType });
  it.each<[string, unknown, RegExp]>([
    ["a date", object(z.date()), /Date/],
    ["a bigint", object(z.bigint()), /BigInt/],
    ["the outcome of a transform", object(z.transform(String)), /Transform/],
    ["a map", object(z.map(z.string(), z.string())), /Map/],
    ["a set", object(z.set(z.string())), /Set/],
    ["a symbol", object(z.symbol()), /Symbol/],
    ["a class", object(z.instanceof(URL)), /Custom/],
    ["a schema of zod 3 inside", object(z3.string()), /JSON Schema cannot express/],
    ["ArkType's Date", type({ x: "Date" }), /JSON cannot represent a Date/],
    ["ArkType's bigint", type({ x: "bigint[]" }), /JSON cannot represent this type/],
    ["ArkType's class", type({ x: "Map" }), /JSON cannot represent a class/],
    ["Valibot's date", toStandardJsonSchema(v.object({ x: v.date() })), /"date"/],
    ["a cycle", plain(cyclic()), /cycl|circular/i],
  ])("T1 refuse what JSON cannot represent when the tool is made: %s", (_title, schema, why) => {
    for (const define of [() => make(schema), () => ask(schema)]) {
      expect(define).toThrow(
        expect.objectContaining({ code: "config", message: expect.stringMatching(why) }),
      );
    }
  });

  it.each<[string, unknown, RegExp]>([
    ["zod/mini", mini.object({ a: mini.string() }), /not zod\/mini/],
    ["Valibot unwrapped", v.object({ a: v.string() }), /toStandardJsonSchema\(\)/],
    ["plain JSON Schema unwrapped", { type: "object" }, /jsonSchema\(\{ … \}\)/],
    ["null", null, /jsonSchema/],
    ["a description that is undefined", standard(() => undefined), /is not an object/],
    ["a description that is a list", standard(() => []), /is not an object/],
  ])("T1 refuse what cannot describe itself when the tool is made: %s", (_title, schema, why) => {
    for (const define of [() => make(schema), () => ask(schema)]) {
      expect(define).toThrow(
        expect.objectContaining({ code: "config", message: expect.stringMatching(why) }),
      );
    }
  });

  it.each<[string, unknown]>([
    ["a string", z.string()],
    ["anything", z.unknown()],
    ["a union", z.union([z.object({ a: z.string() }), z.object({ b: z.string() })])],
    ["an object or null", z.object({}).nullable()],
    ["empty", plain({})],
    [
      "empty, of another library",
      standard(() => ({ $schema: "https://json-schema.org/draft/2020-12/schema" })),
    ],
    ["ArkType's unknown", type("unknown")],
  ])("T1 refuse an input that is no object when the tool is made: %s", (_title, schema) => {
    expect(() => make(schema)).toThrow(/"t" must describe an object/);
    expect(ask(schema).suspends).toBeDefined();
  });

  it.each<[string, object, RegExp]>([
    [
      "an unknown type",
      { type: "object", properties: { a: { type: "text" } } },
      /#\/properties\/a has the unknown type "text"/,
    ],
    [
      "a property that is not a schema",
      { type: "object", properties: { a: "string" } },
      /#\/properties\/a is not a schema/,
    ],
    [
      "additionalProperties that are not a schema",
      { type: "object", additionalProperties: "no" },
      /additionalProperties is not/,
    ],
    ["properties in a list", { type: "object", properties: ["a"] }, /#\/properties is not a schema/],
    [
      "a tuple of an earlier draft",
      { type: "object", properties: { a: { items: [{}] } } },
      /items is not a schema/,
    ],
    ["alternatives that are not a list", { type: "object", anyOf: {} }, /#\/anyOf is not a schema/],
    ["an alternative that is not a schema", { type: "object", not: { oneOf: [{}, 1] } }, /#\/not\/oneOf\/1/],
    ["one name for a list of names", { type: "object", required: "a" }, /required is not a list/],
    [
      "one value for a list of values",
      { type: "object", properties: { a: { enum: "b" } } },
      /enum is not a list/,
    ],
    [
      "an invalid pattern",
      { type: "object", properties: { a: { pattern: "(" } } },
      /regular expression: "\("/,
    ],
    [
      "an invalid pattern for names",
      { type: "object", patternProperties: { "[": {} } },
      /regular expression: "\["/,
    ],
    [
      "a reference to a missing definition",
      { type: "object", properties: { a: { $ref: "#/$defs/a" } } },
      /"#\/\$defs\/a" refers to nothing/,
    ],
    [
      "a reference to another document",
      { type: "object", $ref: "https://example.com/a" },
      /refers to nothing/,
    ],
    [
      "a root that refers to itself",
      { type: "object", allOf: [{ $ref: "#" }] },
      /"#" leads back to itself without a property or an item in between/,
    ],
    [
      "definitions that refer to each other",
      {
        type: "object",
        properties: { a: { $ref: "#/$defs/a" } },
        $defs: { a: { anyOf: [{ type: "null" }, { $ref: "#/$defs/b" }] }, b: { not: { $ref: "#/$defs/a" } } },
      },
      /"#\/\$defs\/[ab]" leads back to itself/,
    ],
  ])("T1 refuse JSON Schema that is broken when the tool is made: %s", (_title, schema, why) => {
    expect(() => make(plain(schema))).toThrow(why);
    expect(() => ask(plain(schema))).toThrow(PawlError);
  });

  it("T1 take JSON Schema whose definitions contain themselves in a property or an item", async () => {
    const schema = plain({
      type: "object",
      properties: { a: { $ref: "#/$defs/tree" }, b: { $ref: "#/$defs/tree" } },
      $defs: {
        tree: { anyOf: [{ type: "string" }, { $ref: "#/$defs/list" }, { $ref: "#/$defs/node" }] },
        list: { type: "array", items: { $ref: "#/$defs/tree" } },
        node: { type: "object", additionalProperties: { allOf: [{ $ref: "#/$defs/tree" }] } },
      },
    });
    make(schema);
    expect(await validate(schema, { a: ["x", { y: ["z"] }] })).toMatchObject({ ok: true });
    expect(await validate(schema, { a: ["x", { y: [1] }] })).toMatchObject({ ok: false });
  });

  it.each([["text"], [null], [["a"]], [{ $ref: "http://[" }], [{ $ref: "http://[", type: "object" }]])(
    "T1 jsonSchema() refuses %j",
    (schema) => {
      expect(() => plain(schema as never)).toThrow(expect.objectContaining({ code: "config" }));
    },
  );

  it("T1 take regular expressions as their library means them", () => {
    // With the flag u, which `jsonSchema()` validates with, this is not a valid pattern.
    const pattern = "^a\\-b$";
    const dashed = z.object({ a: z.string().regex(new RegExp(pattern)) });
    expect(make(dashed).spec.input_schema).toMatchObject({ properties: { a: { pattern } } });
    expect(() => make(plain({ type: "object", properties: { a: { pattern } } }))).toThrow(
      /regular expression/,
    );
  });

  it("T1 leave the schema that they were given as it was", () => {
    const schema = Object.freeze({
      type: "object",
      properties: Object.freeze({ a: Object.freeze({ $ref: "#" }) }),
    });
    expect(toJsonSchema(plain(schema), "the test")).toEqual(schema);
  });
});

/** Some library's schema: all that is known of it are the two standards. */
function standard(describe: () => unknown): unknown {
  const jsonSchema = { input: describe, output: describe };
  return {
    "~standard": { version: 1, vendor: "some", validate: (value: unknown) => ({ value }), jsonSchema },
  };
}

function cyclic(): object {
  const schema: { [key: string]: unknown } = { type: "object", title: {} };
  schema["x-self"] = [schema];
  return schema;
}
