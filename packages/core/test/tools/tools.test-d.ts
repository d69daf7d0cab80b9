import { toStandardJsonSchema } from "@valibot/to-json-schema";
import { type } from "arktype";
import * as v from "valibot";
import { describe, expectTypeOf, it } from "vitest";
import * as z from "zod";
import { z as z3 } from "zod/v3";
import { z as z323 } from "zod-3";
import { type Infer, jsonSchema, type Schema, type ToolContext, tool } from "../../src/index.ts";
import { zod3 } from "../../src/schema/zod3.ts";

const named = { name: "t", description: "" };
const nothing = z.object({});

describe("D2 T1 what a tool's input is follows from its schema", () => {
  it("of zod 4: with defaults filled in and transforms done", () => {
    const input = z.object({
      a: z.number().default(1),
      b: z.string().transform(Number),
      c: z.string().optional(),
    });
    tool({
      ...named,
      input,
      execute: (given) =>
        expectTypeOf(given).toEqualTypeOf<{ a: number; b: number; c?: string | undefined }>(),
    });
    expectTypeOf<Infer<typeof input>>().toEqualTypeOf<z.output<typeof input>>();
  });

  it("of zod 3, whichever it is", () => {
    const input = zod3(z3.object({ a: z3.number().default(1), b: z3.string().transform(Number) }));
    tool({
      ...named,
      input,
      execute: (given) => expectTypeOf(given).toEqualTypeOf<{ a: number; b: number }>(),
    });
    const old = zod3(z323.object({ a: z323.literal("x").nullable() }));
    expectTypeOf<Infer<typeof old>>().toEqualTypeOf<{ a: "x" | null }>();
  });

  it("of ArkType and Valibot", () => {
    tool({
      ...named,
      input: type({ a: "number = 1", "b?": "string" }),
      execute: (given) => expectTypeOf(given).toEqualTypeOf<{ a: number; b?: string }>(),
    });
    tool({
      ...named,
      input: toStandardJsonSchema(v.object({ a: v.optional(v.number(), 1) })),
      execute: (given) => expectTypeOf(given).toEqualTypeOf<{ a: number }>(),
    });
  });

  it("of plain JSON Schema: as it is said", () => {
    tool({
      ...named,
      input: jsonSchema<{ a: 1 }>({ type: "object" }),
      execute: (given) => expectTypeOf(given).toEqualTypeOf<{ a: 1 }>(),
    });
    expectTypeOf(jsonSchema({ type: "object" })).toEqualTypeOf<Schema<unknown>>();
  });
});

describe("D2 T1 a function of one's own can make tools", () => {
  it("of the schemas that it is given", () => {
    const logged = <I extends Schema>(input: I, execute: (input: Infer<I>) => string) =>
      tool({ ...named, input, execute });
    logged(z.object({ city: z.string() }), (given) => {
      expectTypeOf(given).toEqualTypeOf<{ city: string }>();
      return given.city;
    });
    const asking = <A extends Schema>(answer: A) => tool({ ...named, input: nothing, suspends: { answer } });
    void asking(type({ yes: "boolean" }));
  });
});

describe("D2 T3 a wrong input does not compile", () => {
  it("in execute", () => {
    tool({
      ...named,
      input: z.object({ city: z.string() }),
      // @ts-expect-error there is no town
      execute: ({ town }) => town,
    });
    tool({
      ...named,
      input: zod3(z3.object({ city: z3.string() })),
      // @ts-expect-error there are other cities
      execute: ({ city }: { city: "Oslo" }) => city,
    });
  });

  it("in shortenInput, and in the payload of a question", () => {
    const input = z.object({ city: z.string() });
    // @ts-expect-error there is no town to shorten
    tool({ ...named, input, shortenInput: ["town"], execute: () => 1 });
    // @ts-expect-error there is no town to show
    tool({ ...named, input, suspends: { answer: nothing, payload: ({ town }) => town } });
  });
});

describe("D2 P5 a wrong answer does not compile", () => {
  it("of any library", () => {
    for (const answer of [z.object({ yes: z.boolean() }), zod3(z3.object({ yes: z3.boolean() }))] as const) {
      tool({
        ...named,
        input: nothing,
        suspends: { answer },
        execute: (_, context) => expectTypeOf(context.answer).toEqualTypeOf<{ yes: boolean }>(),
      });
    }
    tool({
      ...named,
      input: nothing,
      suspends: { answer: type("'yes' | 'no'") },
      execute: (_, context) => expectTypeOf(context.answer).toEqualTypeOf<"yes" | "no">(),
    });
  });

  it("where it is used", () => {
    const answer = z.object({ yes: z.boolean() });
    tool({
      ...named,
      input: nothing,
      suspends: { answer },
      // @ts-expect-error an answer has no no
      execute: (_, context) => context.answer.no,
    });
    tool({
      ...named,
      input: nothing,
      suspends: { answer },
      // @ts-expect-error an answer may be no
      execute: (_, context: ToolContext<unknown, { yes: true }>) => context.answer,
    });
    tool({
      ...named,
      input: nothing,
      // @ts-expect-error nobody is asked
      execute: (_, { answer }) => answer.yes,
    });
  });
});

describe("D2 T1 what cannot describe itself does not compile", () => {
  it("as an input or an answer", () => {
    const text = { ...named, execute: () => 1 };
    // @ts-expect-error zod 3 is to be wrapped
    tool({ ...text, input: z3.object({}) });
    // @ts-expect-error zod 3 is to be wrapped
    tool({ ...text, input: z323.object({}) });
    // @ts-expect-error Valibot is to be wrapped
    tool({ ...text, input: v.object({}) });
    // @ts-expect-error plain JSON Schema is to be wrapped
    tool({ ...text, input: { type: "object" } });
    // @ts-expect-error zod 3 is to be wrapped here too
    tool({ ...text, input: nothing, suspends: { answer: z3.object({}) } });
  });

  it("in zod3(): what is of zod 4", () => {
    // @ts-expect-error zod 4 needs no wrapping
    zod3(z.object({}));
  });
});

describe("F14 what `format` shows the model", () => {
  it("may be blocks of several kinds, of which some lack a field of others", () => {
    tool({
      ...named,
      input: nothing,
      execute: () => 1,
      format: () => [
        { type: "image", source: { type: "base64", media_type: "image/png", data: "" } },
        { type: "search_result", source: "hb-7", title: "Page 7", citations: { enabled: true } },
      ],
    });
    const blocks = [
      { type: "text", text: "a" },
      { type: "image", source: { type: "base64", data: "" } },
    ];
    tool({ ...named, input: nothing, execute: () => 1, format: () => blocks });
    // @ts-expect-error a function is no JSON
    tool({ ...named, input: nothing, execute: () => 1, format: () => [{ type: "text", text: () => 1 }] });
  });
});
