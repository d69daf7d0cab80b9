import { describe, expect, it } from "vitest";
import * as z4 from "zod";
import { z } from "zod/v3";
import { z as z323 } from "zod-3";
import { PawlError, type Schema, toJsonSchema, tool } from "../../src/index.ts";
import { type Zod3Schema, zod3 } from "../../src/schema/zod3.ts";
import { setup } from "../support/setup.ts";

const described = (schema: Zod3Schema) => toJsonSchema(zod3(schema), "the test");
const make = (input: Schema) => tool({ name: "t", description: "", input, execute: () => 1 });

describe("zod3()", () => {
  it.each([
    ["3.25", z],
    ["3.23, which knows no Standard Schema", z323 as never as typeof z],
  ])("T1 T3 makes tools of schemas of zod %s: described, validated, transformed", async (_version, zod) => {
    const seen: unknown[] = [];
    const trip = tool({
      name: "trip",
      description: "Plans.",
      input: zod3(
        zod.object({
          city: zod.string().min(2).describe("Where to."),
          days: zod.number().int().default(3),
          on: zod.string().transform((text) => text.length),
        }),
      ),
      execute: ({ city, days, on }) => {
        seen.push([city, days, on]);
        return "ok";
      },
    });
    expect(trip.spec.input_schema).toEqual({
      type: "object",
      properties: {
        city: { type: "string", minLength: 2, description: "Where to." },
        days: { type: "integer", default: 3 },
        on: { type: "string" },
      },
      required: ["city", "on"],
    });
    const calls = [
      { city: "Oslo", on: "Monday" },
      { city: "X", days: 1.5 },
    ];
    const script = [{ tools: calls.map((input) => ({ name: "trip", input })) }, { text: "Ok." }];
    const { say, model } = setup(script, { tools: [trip] });
    const { actions } = await say("Go");
    expect(seen).toEqual([["Oslo", 3, 6]]);
    expect(actions.map(({ success }) => success)).toEqual([true, false]);
    expect(String(actions[1]?.result)).toMatch(/city: .*days: .*on: /);
    expect(model.rejected).toEqual([]);
  });

  it("T1 P5 describes and checks answers", async () => {
    const ask = tool({
      name: "ask",
      description: "Asks.",
      input: zod3(z.object({})),
      suspends: { answer: zod3(z.object({ yes: z.boolean(), on: z.coerce.date().optional() })) },
    });
    const { say, answer, of } = setup(
      [{ tools: [{ name: "ask", id: "toolu_1", input: {} }] }, { text: "Ok." }],
      {
        tools: [ask],
      },
    );
    const { sessionId } = await say("Go");
    expect((await of(sessionId, "tool_suspended"))[0]?.data.answer_schema).toEqual({
      type: "object",
      properties: { yes: { type: "boolean" }, on: { type: "string", format: "date-time" } },
      required: ["yes"],
    });
    await expect(answer(sessionId, "toolu_1", { yes: "no" })).rejects.toThrow(/yes: Expected boolean/);
    expect((await answer(sessionId, "toolu_1", { yes: true })).stop.type).toBe("end_turn");
  });

  it("T1 writes tuples, nulls and strictness as draft 2020-12 has them", () => {
    const schema = z
      .object({
        pair: z.tuple([z.string(), z.number()]),
        more: z.tuple([z.string()]).rest(z.boolean()),
        none: z.tuple([]),
        nothing: z.literal(null).describe("Always null."),
        maybe: z.string().nullable(),
        open: z.object({ a: z.string() }).passthrough(),
      })
      .strict();
    expect(described(schema)).toMatchObject({
      additionalProperties: false,
      properties: {
        pair: { type: "array", prefixItems: [{ type: "string" }, { type: "number" }], items: false },
        more: { type: "array", prefixItems: [{ type: "string" }], items: { type: "boolean" } },
        none: { type: "array", items: false, maxItems: 0 },
        nothing: { type: "null", description: "Always null." },
        maybe: { type: ["string", "null"] },
        open: { type: "object", properties: { a: { type: "string" } } },
      },
    });
    expect(JSON.stringify(described(schema))).not.toMatch(/"items":\[|additionalItems|prefixItems":\[\]/);
  });

  it("T1 describes recursion by references, and nothing else", () => {
    type Tree = { name: string; "a/b ~": [Tree[], ...Tree[]] | null };
    const tree: z.ZodType<Tree> = z.lazy(() =>
      z.object({
        name,
        "a/b ~": z
          .tuple([z.array(tree)])
          .rest(tree)
          .nullable(),
      }),
    );
    const name = z.string().min(1);
    expect(described(z.object({ name, left: tree, right: tree }))).toMatchObject({
      properties: {
        name: { minLength: 1 },
        left: {
          properties: {
            name: { minLength: 1 },
            "a/b ~": {
              anyOf: [
                {
                  prefixItems: [{ items: { $ref: "#/properties/left" } }],
                  items: { $ref: "#/properties/left" },
                },
                { type: "null" },
              ],
            },
          },
        },
        right: { properties: { name: { minLength: 1 } } },
      },
    });
    expect(described(tree)).toMatchObject({
      type: "object",
      properties: { "a/b ~": { anyOf: [{ items: { $ref: "#" } }, {}] } },
    });
    const list: z.ZodTypeAny = z.object({ next: z.lazy(() => list).optional() });
    const odd = z.object({ "a/b ~": z.tuple([z.string(), list]), rest: z.tuple([z.string()]).rest(list) });
    const text = JSON.stringify(described(odd));
    expect(text).toContain('{"$ref":"#/properties/a~1b%20~0/prefixItems/1"}');
    expect(text).toContain('{"$ref":"#/properties/rest/items"}');
  });

  it.each<[string, z.ZodTypeAny, RegExp]>([
    ["a date", z.date(), /ZodDate at #\/properties\/x/],
    ["a bigint", z.bigint(), /ZodBigInt/],
    ["a bigint or null", z.bigint().nullable(), /ZodBigInt/],
    ["a bigint among others", z.union([z.string(), z.bigint()]), /ZodBigInt/],
    ["a literal bigint", z.literal(1n), /ZodLiteral/],
    ["a literal undefined", z.literal(undefined), /ZodLiteral/],
    ["a default that is a bigint", z.any().default(1n), /BigInt/],
    ["a map", z.map(z.string(), z.string()), /ZodMap/],
    ["a set", z.array(z.set(z.string())), /ZodSet at #\/properties\/x\/items/],
    ["a symbol", z.symbol(), /ZodSymbol/],
    ["a function", z.function(), /ZodFunction/],
    ["a promise", z.promise(z.string()), /ZodPromise/],
    ["NaN", z.nan(), /ZodNaN/],
    ["a schema of zod 4", z4.string() as never, /not a schema of zod 3/],
  ])("T1 refuses %s when the tool is made", (_title, x, why) => {
    const define = () => make(zod3(z.object({ x })));
    expect(define).toThrow(why);
    expect(define).toThrow(/The schema of the tool "t" has a part that JSON Schema cannot express/);
  });

  it("T1 takes what is made of something that JSON can carry", () => {
    const toDate = (value: unknown) => new Date(String(value));
    const schema = z.object({
      coerced: z.coerce.date(),
      made: z.preprocess(toDate, z.date()),
      piped: z.string().transform(toDate).pipe(z.date()),
    });
    const date = { type: "string", format: "date-time" };
    expect(described(schema).properties).toEqual({ coerced: date, made: date, piped: { type: "string" } });
  });

  it.each<[string, Zod3Schema]>([
    ["a string", z.string()],
    ["a union of objects", z.union([z.object({}), z.object({ a: z.string() })])],
    ["anything", z.any()],
    ["itself and nothing else", selfish()],
  ])("T1 refuses an input that is %s", (_title, schema) => {
    expect(() => make(zod3(schema))).toThrow(PawlError);
  });

  it.each<[string, unknown]>([
    ["a schema of zod 4", z4.object({ a: z4.string() })],
    ["nothing", undefined],
    ["a plain object", { type: "object" }],
  ])("T1 is for zod 3: %s is refused at once", (_title, schema) => {
    expect(() => zod3(schema as never)).toThrow(expect.objectContaining({ code: "config" }));
    expect(() => zod3(schema as never)).toThrow(/zod 4 needs no wrapping/);
  });

  it("T1 a schema of zod 3 that is not wrapped is refused when the tool is made, with the way out", () => {
    for (const schema of [z.object({}), z323.object({})]) {
      expect(() => make(schema as never)).toThrow(/the tool "t".*zod3\(\) from "@pawl\/core\/zod3"/);
      const suspends = { answer: schema as never };
      expect(() => tool({ name: "t", description: "", input: z4.object({}), suspends })).toThrow(
        /answers to "t".*@pawl\/core\/zod3/,
      );
    }
  });
});

function selfish(): z.ZodTypeAny {
  const schema: z.ZodTypeAny = z.lazy(() => schema);
  return schema;
}
