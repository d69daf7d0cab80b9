import { describe, expectTypeOf, it } from "vitest";
import * as z from "zod";
import {
  type Agent,
  type ApprovalAnswer,
  agent,
  agentTool,
  type Json,
  jsonSchema,
  type ModelClient,
  memoryStore,
  runtime,
  type Tool,
  type ToolContext,
  tool,
} from "../../src/index.ts";
import type { JsonOf, QuestionTypesOf, ToolTypesOf } from "../../src/view.ts";

const made = { name: "a", model: {} as ModelClient, instructions: "x" } as const;
const say = { userId: "u", input: "Hi" };
const store = memoryStore();

interface Forecast {
  celsius: number;
  at: Date;
}

const look = tool({
  name: "look",
  description: "",
  input: z.object({ city: z.string(), days: z.number().default(1) }),
  execute: async ({ city }, { deps }: ToolContext<{ db: string }>): Promise<Forecast | undefined> =>
    city === deps.db ? { celsius: 1, at: new Date() } : undefined,
});
const answer = tool({
  name: "answer",
  description: "",
  input: z.object({ city: z.string() }),
  execute: ({ city }) => ({ city, at: new Date() }),
  endsRun: true,
});
const leave = tool({
  name: "leave",
  description: "",
  input: z.object({}),
  execute: () => "bye",
  endsRun: "completed",
});
const choose = tool({
  name: "choose",
  description: "",
  input: z.object({ options: z.array(z.string()), title: z.string().default("") }),
  suspends: { answer: z.object({ option: z.string(), sure: z.boolean().default(true) }) },
});
const pulse = tool({
  name: "show_pulse",
  description: "",
  input: z.object({}),
  suspends: { answer: z.number(), kind: "pulse", payload: () => ({ most: 10 }) },
  execute: (_, context) => context.answer > 5,
});

describe("U7 result.output has the type that the agent declares", () => {
  const deps = () => ({ db: "x" });

  it("by the tools that end its runs, as JSON", async () => {
    const both = agent({ ...made, tools: [look, answer, leave] });
    const { output } = await runtime({ agents: [both], store, deps }).run(both, say).result;
    expectTypeOf(output).toEqualTypeOf<{ city: string; at: string } | "bye" | string | undefined>();
    const one = agent({ ...made, tools: [look, answer] });
    const result = await runtime({ agents: [one], store, deps }).run(one, say).result;
    expectTypeOf(result.output).toEqualTypeOf<{ city: string; at: string } | undefined>();
    // @ts-expect-error there is no town
    void result.output?.town;
    // @ts-expect-error a date is a string in JSON
    void result.output?.at.getTime();
  });

  it("F19 also if a function returns the tools", async () => {
    const some = agent({
      ...made,
      tools: ({ caller }) => (caller.role === "admin" ? [answer, leave] : [leave]),
    });
    const { output } = await runtime({ agents: [some], store }).run(some, say).result;
    expectTypeOf(output).toEqualTypeOf<{ city: string; at: string } | "bye" | string | undefined>();
    expectTypeOf<keyof ToolTypesOf<typeof some>>().toEqualTypeOf<"answer" | "leave">();
    const later = agent({ ...made, tools: async () => [look, choose] });
    expectTypeOf<keyof ToolTypesOf<typeof later>>().toEqualTypeOf<"look" | "choose">();
    expectTypeOf<keyof QuestionTypesOf<typeof later>>().toEqualTypeOf<"choose" | "approval">();
  });

  it("and is any JSON if the agent declares nothing, or is known by its name only", async () => {
    const plain = agent({ ...made, tools: [look] });
    const ending = agent({ ...made, name: "b", tools: [answer] });
    const pawl = runtime({ agents: [plain, ending], store, deps });
    expectTypeOf((await pawl.run(plain, say).result).output).toEqualTypeOf<Json | undefined>();
    expectTypeOf((await pawl.run("b", say).result).output).toEqualTypeOf<Json | undefined>();
    const known: Agent<unknown, "b"> = ending;
    expectTypeOf((await pawl.run(known, say).result).output).toEqualTypeOf<Json | undefined>();
  });

  it("while an agent of a runtime stays one", () => {
    const pawl = runtime({ agents: [agent({ ...made, name: "b", tools: [answer] })], store });
    // @ts-expect-error the runtime does not have this agent
    pawl.run(agent({ ...made, name: "c", tools: [answer] }), say);
  });
});

describe("U7 what an agent's tools take and return is part of its type", () => {
  it("by their names, as the model writes and JSON keeps it", () => {
    const all = agent({ ...made, tools: [look, answer, choose] });
    type Tools = ToolTypesOf<typeof all>;
    expectTypeOf<keyof Tools>().toEqualTypeOf<"look" | "answer" | "choose">();
    expectTypeOf<Tools["look"]["input"]>().toEqualTypeOf<{ city: string; days?: number }>();
    expectTypeOf<Tools["look"]["result"]>().toEqualTypeOf<{ celsius: number; at: string } | null>();
    expectTypeOf<Tools["choose"]["result"]>().toEqualTypeOf<{ option: string; sure: boolean }>();
    expectTypeOf(all.name).toEqualTypeOf<"a">();
  });

  it("of a sub-agent and of JSON Schema too", () => {
    const input = jsonSchema<{ q: string }>({ type: "object" });
    const search = tool({ name: "search", description: "", input, execute: () => [1] });
    const researcher = agent({ ...made, name: "researcher", tools: [search] });
    const host = agent({
      ...made,
      tools: [search, agentTool({ agent: researcher, description: "" })],
    });
    type Tools = ToolTypesOf<typeof host>;
    expectTypeOf<Tools["search"]>().toExtend<{ input: { q: string }; result: number[] }>();
    expectTypeOf<Tools["researcher"]>().toExtend<{ input: { task: string }; result: string }>();
    const renamed = agentTool({ agent: researcher, name: "dig", description: "" });
    const other = agent({ ...made, tools: [renamed] });
    expectTypeOf<keyof ToolTypesOf<typeof other>>().toEqualTypeOf<"dig">();
  });

  it("and any JSON if one of them is known as a tool only", () => {
    const some: Tool = leave;
    const mixed = agent({ ...made, tools: [answer, some] });
    type Plain = Readonly<Record<string, { input: Json; result: Json }>>;
    expectTypeOf<ToolTypesOf<typeof mixed>>().toEqualTypeOf<Plain>();
    expectTypeOf<ToolTypesOf<Agent>>().toEqualTypeOf<Plain>();
  });
});

describe("U7 what an agent asks is part of its type", () => {
  it("by kind, with approvals", () => {
    const asks = agent({ ...made, tools: [look, choose, pulse] });
    type Asks = QuestionTypesOf<typeof asks>;
    expectTypeOf<keyof Asks>().toEqualTypeOf<"choose" | "pulse" | "approval">();
    expectTypeOf<Asks["choose"]["payload"]>().toEqualTypeOf<{ options: string[]; title: string }>();
    expectTypeOf<Asks["choose"]["answer"]>().toEqualTypeOf<{ option: string; sure?: boolean }>();
    expectTypeOf<Asks["pulse"]["payload"]>().toEqualTypeOf<{ most: number }>();
    expectTypeOf<Asks["pulse"]["answer"]>().toEqualTypeOf<number>();
    expectTypeOf<Asks["approval"]["answer"]>().toEqualTypeOf<ApprovalAnswer>();
  });
});

describe("U7 JsonOf is the type of a value after JSON", () => {
  it("with fields that JSON drops, and values that it changes", () => {
    expectTypeOf<JsonOf<{ a: 1; b: string[] }>>().toEqualTypeOf<{ a: 1; b: string[] }>();
    expectTypeOf<JsonOf<Forecast>>().toEqualTypeOf<{ celsius: number; at: string }>();
    expectTypeOf<JsonOf<[Date, 1]>>().toEqualTypeOf<[string, 1]>();
    expectTypeOf<JsonOf<{ run(): void; at?: Date }>>().toEqualTypeOf<{ at?: string }>();
    expectTypeOf<JsonOf<{ a: string | undefined; d: Date }>["a"]>().toEqualTypeOf<string | undefined>();
    expectTypeOf<JsonOf<Date | undefined>>().toEqualTypeOf<string | null>();
    expectTypeOf<JsonOf<unknown>>().toEqualTypeOf<Json>();
    // biome-ignore lint/suspicious/noExplicitAny: it is what is tested
    expectTypeOf<JsonOf<any>>().toEqualTypeOf<Json>();
    expectTypeOf<JsonOf<void>>().toEqualTypeOf<null>();
    expectTypeOf<JsonOf<Json>>().toEqualTypeOf<Json>();
  });
});
