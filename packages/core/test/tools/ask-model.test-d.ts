import { scriptedModel } from "@pawl/testing";
import { type } from "arktype";
import { expectTypeOf, it } from "vitest";
import * as z from "zod";
import { askModel, type Hook, jsonSchema, tool } from "../../src/index.ts";

const model = scriptedModel([]);
const prompt = "Hi";

it("D2 F21 the output has the type of the schema", async () => {
  const schema = z.object({ n: z.number().default(1), s: z.string().transform(Number) });
  expectTypeOf((await askModel(model, { prompt, schema })).output).toEqualTypeOf<{ n: number; s: number }>();
  expectTypeOf((await askModel(model, { prompt })).output).toEqualTypeOf<undefined>();
  const ark = await askModel(model, { prompt, schema: type({ a: "number" }) });
  expectTypeOf(ark.output).toEqualTypeOf<{ a: number }>();
  const plain = await askModel(model, { prompt, schema: jsonSchema<{ a: 1 }>({ type: "object" }) });
  expectTypeOf(plain.output).toEqualTypeOf<{ a: 1 }>();
  // @ts-expect-error not a schema
  await askModel(model, { prompt, schema: { type: "object" } });
  // @ts-expect-error keys need a run's log
  await askModel(model, { prompt, key: "k" });
});

it("D2 F21 the output has its type in hooks and tools too", () => {
  const hook: Hook = {
    name: "h",
    beforeRun: async ({ askModel: ask }) => {
      const { output } = await ask(model, { prompt, schema: z.object({ a: z.boolean() }), key: "k" });
      expectTypeOf(output).toEqualTypeOf<{ a: boolean }>();
      return undefined;
    },
  };
  tool({
    name: "t",
    description: "",
    input: z.object({}),
    execute: async (_, { askModel: ask }) => {
      expectTypeOf((await ask(model, { prompt })).output).toEqualTypeOf<undefined>();
    },
  });
  expectTypeOf(hook.name).toEqualTypeOf<string>();
});
