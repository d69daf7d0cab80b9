import { describe, expectTypeOf, it } from "vitest";
import {
  type Agent,
  agent,
  type Json,
  type ModelClient,
  memoryStore,
  type RunResult,
  type Runtime,
  runtime,
} from "../../src/index.ts";

const made = { model: {} as ModelClient, instructions: "x" };
const store = memoryStore();
const weather = agent({ name: "weather", ...made });
const coach = agent({ name: "coach", ...made });
const other = agent({ name: "other", ...made });
const say = { userId: "u", input: "Hi" };

describe("D2 U7 names of agents are types", () => {
  const pawl = runtime({ agents: [weather, coach], store });

  it("so that only those of the runtime's agents compile", () => {
    expectTypeOf(weather).toEqualTypeOf<Agent<unknown, "weather">>();
    expectTypeOf(pawl).toEqualTypeOf<Runtime<"weather" | "coach">>();
    void [pawl.run("weather", say), pawl.run(coach, say), pawl.getOrCreateSession(coach, "u")];
    // @ts-expect-error there is no such name
    pawl.run("typo", say);
    // @ts-expect-error there is no such name
    void pawl.getOrCreateSession("typo", "u");
    // @ts-expect-error the runtime does not have this agent
    pawl.run(other, say);
    // @ts-expect-error that is no agent
    pawl.run({ name: "coach" }, say);
  });

  it("also where agents need deps", () => {
    interface Db {
      db: string;
    }
    const reader = agent({
      ...made,
      name: "reader",
      userData: { read: ({ deps }: { deps: Db }) => deps.db },
    });
    const withDeps = runtime({ agents: [reader, coach], store, deps: () => ({ db: "x" }) });
    void [withDeps.run(reader, say), withDeps.run("coach", say)];
    // @ts-expect-error there is no such name
    withDeps.run("typo", say);
    // @ts-expect-error deps are missing
    runtime({ agents: [reader, coach], store });
  });

  it("unless agents are known as agents only", () => {
    const some: Agent[] = [weather, coach];
    const any = runtime({ agents: some, store });
    expectTypeOf(any).toEqualTypeOf<Runtime>();
    void [any.run("whoever", say), any.run(other, say)];
    const widened: Runtime = pawl;
    void widened.run("whoever", say);
    const name: string = "computed";
    expectTypeOf(agent({ name, ...made })).toEqualTypeOf<Agent>();
  });

  it("and the output of a run is JSON", () => {
    expectTypeOf<RunResult["output"]>().toEqualTypeOf<Json | undefined>();
  });
});
