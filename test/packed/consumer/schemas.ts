// A user's tools. Their types follow from schemas of each kind, and wrong uses do not compile.
import assert from "node:assert/strict";
import {
  agent,
  type Infer,
  jsonSchema,
  type ModelClient,
  memoryStore,
  runtime,
  type ToolContext,
  tool,
} from "@pawl/core";
import { zod3 } from "@pawl/core/zod3";
import * as z from "zod";
import { z as z3 } from "zod/v3";

type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
const same = <A, B>(_answer: Same<A, B>): void => {};

interface Deps {
  unit: string;
}

const answer = zod3(z3.object({ yes: z3.boolean() }));
same<Infer<typeof answer>, { yes: boolean }>(true);

const weather = tool({
  name: "weather",
  description: "Tells the weather.",
  input: z.object({ city: z.string(), days: z.number().default(1) }),
  suspends: { answer },
  execute: (input, context: ToolContext<Deps, { yes: boolean }>) => {
    same<typeof input, { city: string; days: number }>(true);
    return `${input.city}: 12 ${context.deps.unit}`;
  },
});
const old = tool({
  name: "old",
  description: "Of zod 3.",
  input: zod3(z3.object({ a: z3.number().default(1), b: z3.string().transform(Number) })),
  execute: (input) => same<typeof input, { a: number; b: number }>(true),
});
assert.deepEqual(weather.spec.input_schema.required, ["city"]);
assert.deepEqual(old.spec.input_schema.required, ["b"]);

const plain = jsonSchema<{ a: string }>({ type: "object" });
same<Infer<typeof plain>, { a: string }>(true);

const model: ModelClient = { id: "silent", async *stream() {} };
const forecaster = agent({ name: "forecaster", model, instructions: "You forecast.", tools: [weather, old] });
const options = { agents: [forecaster], store: memoryStore() };
await runtime({ ...options, deps: () => ({ unit: "°C" }) }).drain();

export const wrong = [
  // @ts-expect-error the agent's tools need deps
  () => runtime(options),
  // @ts-expect-error `unit` must be a string
  () => runtime({ ...options, deps: () => ({ unit: 1 }) }),
  () =>
    // @ts-expect-error the input has no field `town`
    tool({ name: "t", description: "", input: z.object({ city: z.string() }), execute: ({ town }) => town }),
  () => {
    const suspends = { answer: z.object({ yes: z.boolean() }) };
    // @ts-expect-error the answer has no field `no`
    tool({ name: "t", description: "", input: z.object({}), suspends, execute: (_, ask) => ask.answer.no });
  },
  // @ts-expect-error a schema of zod 3 has to be wrapped
  () => tool({ name: "t", description: "", input: z3.object({}), execute: () => 1 }),
  // @ts-expect-error a schema of zod 4 must not be wrapped
  () => zod3(z.object({})),
  // @ts-expect-error `a` must be a string
  (): Infer<typeof plain> => ({ a: 1 }),
];
