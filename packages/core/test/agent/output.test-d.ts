import { describe, expectTypeOf, it } from "vitest";
import * as z from "zod";
import {
  type Agent,
  agent,
  agentTool,
  type Json,
  jsonSchema,
  type ModelClient,
  type Runtime,
  type ToolContext,
  tool,
} from "../../src/index.ts";
import type { ToolTypesOf } from "../../src/view.ts";

declare const model: ModelClient;
declare const pawl: Runtime;
const base = { name: "a", model, instructions: "x" } as const;
const start = { userId: "u", input: "Hi" };
const look = tool({
  name: "look",
  description: "x",
  input: z.object({}),
  execute: (_: object, { deps }: ToolContext<{ db: string }>) => deps.db,
});
const output = z.object({
  city: z.string(),
  at: z.iso.date().transform((text) => new Date(text)),
  note: z.string().optional(),
});

describe("F2 U7 result.output has the schema's type", () => {
  it("after its transforms, as JSON", async () => {
    const made = agent({ ...base, output });
    const result = await pawl.run(made, start).result;
    expectTypeOf(result.output).toEqualTypeOf<{ city: string; at: string; note?: string } | undefined>();
  });

  it("of other libraries, and of plain JSON Schema", async () => {
    const made = agent({ ...base, output: jsonSchema<{ n: number }>({ type: "object" }) });
    expectTypeOf((await pawl.run(made, start).result).output).toEqualTypeOf<{ n: number } | undefined>();
    // @ts-expect-error not a schema
    agent({ ...base, output: { type: "object" } });
  });

  it("beside tools with dependencies", async () => {
    const made = agent({ ...base, tools: [look], output });
    expectTypeOf(made).toExtend<Agent<{ db: string }, "a">>();
    expectTypeOf((await pawl.run(made as never as typeof made, start).result).output?.city).toEqualTypeOf<
      string | undefined
    >();
  });

  it("as the result of a sub-agent's tool", () => {
    const sub = agentTool({
      agent: agent({ ...base, output: jsonSchema<{ n: number }>({ type: "object" }) }),
      description: "x",
    });
    const caller = agent({ ...base, tools: [sub] });
    expectTypeOf<ToolTypesOf<typeof caller>["a"]["result"]>().toEqualTypeOf<string | { n: number }>();
    const plain = agent({ ...base, tools: [agentTool({ agent: agent(base), description: "x" })] });
    expectTypeOf<ToolTypesOf<typeof plain>["a"]["result"]>().toEqualTypeOf<string>();
  });

  it("and is JSON where nothing is known", async () => {
    const made = agent(base);
    expectTypeOf((await pawl.run(made, start).result).output).toEqualTypeOf<Json | undefined>();
  });
});
