import { describe, expectTypeOf, it } from "vitest";
import * as z from "zod";
import {
  type Agent,
  agent,
  type Hook,
  type ModelClient,
  memoryStore,
  type RuntimeOptions,
  runtime,
  type Tool,
  type ToolContext,
  tool,
  type UserDataSource,
} from "../../src/index.ts";

interface Db {
  db: string;
}
interface Mail {
  mail: string;
}

const input = z.object({});
const model = {} as ModelClient;
const store = memoryStore();
const plain = { name: "a", model, instructions: "x" };
const named = { name: "t", description: "", input };

const free = tool({ ...named, execute: () => 1 });
const reads = tool({ ...named, execute: (_, { deps }: ToolContext<Db>) => deps.db });
const sends = tool({ ...named, execute: (_, { deps }: ToolContext<Mail>) => deps.mail });

/** What an agent, a tool needs of deps. */
type Needs<T> = T extends Agent<infer Deps> ? Deps : T extends Tool<infer Deps> ? Deps : never;

const idle = agent({ ...plain, tools: [free] });
const reader = agent({ ...plain, tools: [free, reads] });
const sender = agent({ ...plain, tools: [sends] });

describe("D2 what tools need of deps is part of their types", () => {
  it("and of their agent's", () => {
    expectTypeOf<Needs<typeof free>>().toEqualTypeOf<unknown>();
    expectTypeOf<Needs<typeof reads>>().toEqualTypeOf<Db>();
    expectTypeOf(agent(plain)).toEqualTypeOf<Agent>();
    expectTypeOf<Needs<typeof idle>>().toEqualTypeOf<unknown>();
    expectTypeOf<Needs<typeof reader>>().toEqualTypeOf<Db>();
    expectTypeOf(agent<Db & Mail>({ ...plain, tools: [reads, sends] })).toEqualTypeOf<Agent<Db & Mail>>();
  });

  it("and keep the agent's name, if it is given too", () => {
    const both = agent<Db & Mail, "both">({ name: "both", model, instructions: "x", tools: [reads, sends] });
    expectTypeOf(both).toEqualTypeOf<Agent<Db & Mail, "both">>();
  });

  it("and are not blamed for an option that does not exist", () => {
    agent({
      name: "a",
      model,
      // @ts-expect-error it is called `instructions`
      system: "x",
      tools: [free, reads],
    });
    const looks: Hook<Db> = { name: "looks", beforeTurn: (_plan, { deps }) => void deps.db };
    agent({
      name: "a",
      model,
      // @ts-expect-error it is called `instructions`
      system: "x",
      hooks: [looks],
    });
  });

  it("and of userData's", () => {
    const told = agent({ ...plain, userData: { read: ({ deps }: UserDataSource<Db>) => deps.db } });
    expectTypeOf(told).toEqualTypeOf<Agent<Db>>();
    const both = agent({ ...plain, tools: [reads], userData: { read: ({ deps }) => deps.db } });
    expectTypeOf<Needs<typeof both>>().toEqualTypeOf<Db>();
    // @ts-expect-error nobody said that there would be a database
    agent({ ...plain, userData: { read: ({ deps }) => deps.db } });
  });

  it("F19 and of the tools that a function returns", () => {
    const some = agent<Db>({
      ...plain,
      tools: ({ deps, caller }) => (deps.db && caller.role ? [reads] : []),
    });
    expectTypeOf(some).toEqualTypeOf<Agent<Db>>();
    const one = agent({ ...plain, tools: () => [free] });
    expectTypeOf<Needs<typeof one>>().toEqualTypeOf<unknown>();
    const two = agent({ ...plain, tools: async () => [free, reads] });
    expectTypeOf<Needs<typeof two>>().toEqualTypeOf<Db>();
    // @ts-expect-error they need what the agent's `deps` do not have
    agent<Mail>({ ...plain, tools: () => [reads] });
  });

  it("and of hooks'", () => {
    const looks: Hook<Db> = { name: "looks", beforeTurn: (_plan, { deps }) => void deps.db };
    expectTypeOf(agent({ ...plain, hooks: [looks] })).toEqualTypeOf<Agent<Db>>();
    const two = agent({ ...plain, tools: [reads], hooks: [looks, { name: "b" }] });
    expectTypeOf<Needs<typeof two>>().toEqualTypeOf<Db>();
    // @ts-expect-error the hook needs a database
    const hooks: Hook[] = [looks];
    // @ts-expect-error the hook needs a database
    runtime({ agents: [agent({ ...plain, hooks: [looks] })], store });
    void hooks;
  });

  it("so that a tool does not get where its needs are not known", () => {
    // @ts-expect-error the tool needs a database
    const tools: Tool[] = [reads];
    // @ts-expect-error the tool needs a database
    agent<Mail>({ ...plain, tools: [reads] });
    // @ts-expect-error its agent needs a database
    const made: Agent = reader;
    const fine: Agent<Db> = idle;
    void [tools, made, fine];
  });
});

describe("D2 a runtime without what its agents need does not compile", () => {
  it("when deps are missing", () => {
    runtime({ agents: [], store });
    runtime({ agents: [idle], store });
    // @ts-expect-error deps are missing
    runtime({ agents: [reader], store });
    // @ts-expect-error deps are missing for one of them
    runtime({ agents: [idle, reader], store });
    // @ts-expect-error deps may not be undefined
    runtime({ agents: [reader], store, deps: undefined });
  });

  it("when deps are not enough", () => {
    runtime({ agents: [idle, reader], store, deps: () => ({ db: "x" }) });
    runtime({ agents: [reader], store, deps: async ({ userId }) => ({ db: userId, more: 1 }) });
    // @ts-expect-error that is no database
    runtime({ agents: [reader], store, deps: () => ({}) });
    // @ts-expect-error a database is a string
    runtime({ agents: [reader], store, deps: async () => ({ db: 1 }) });
  });

  it("when deps are enough for some agents only", () => {
    runtime({ agents: [reader, sender], store, deps: () => ({ db: "x", mail: "y" }) });
    runtime<Db & Mail>({ agents: [reader, sender], store, deps: () => ({ db: "x", mail: "y" }) });
    // @ts-expect-error there is no mail
    runtime({ agents: [reader, sender], store, deps: () => ({ db: "x" }) });
    // @ts-expect-error deps are missing
    runtime({ agents: [reader, sender], store });
  });

  it("and what deps are needed can be said", () => {
    expectTypeOf<RuntimeOptions<unknown>["deps"]>().extract<undefined>().toEqualTypeOf<undefined>();
    expectTypeOf<RuntimeOptions<Db>["deps"]>().extract<undefined>().toEqualTypeOf<never>();
    expectTypeOf<RuntimeOptions<Db | undefined>["deps"]>().extract<undefined>().toEqualTypeOf<undefined>();
  });
});
