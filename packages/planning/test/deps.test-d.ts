import { type Agent, agent, type Hook, type ModelClient, type StopReason, type Tool } from "@pawl/core";
import { describe, expectTypeOf, it } from "vitest";
import {
  type Planning,
  type PlanningEvents,
  type PlanningOptions,
  planning,
  type RunRecord,
} from "../src/index.ts";

interface Db {
  db: string;
}

const model = {} as ModelClient;

describe("D2 M1 what planning needs of deps is part of its types", () => {
  it("and its hook and tools fit an agent with these deps only", () => {
    const free = planning({ model });
    expectTypeOf(free).toEqualTypeOf<Planning>();
    const made = planning<Db>({
      model,
      facts: ({ deps, record, message }) => {
        expectTypeOf(record).toEqualTypeOf<RunRecord>();
        return deps.db + message;
      },
      agents: ({ deps }) => [{ id: "a", name: "a", description: deps.db, agent: {} as Agent<Db> }],
    });
    expectTypeOf(made.hook).toEqualTypeOf<Hook<Db>>();
    expectTypeOf(made.tools).toEqualTypeOf<Tool<Db>[]>();
    const options = { model, instructions: "" };
    agent<Db, "a">({ ...options, name: "a", tools: made.tools, hooks: [made.hook, free.hook] });
    // @ts-expect-error: these deps have no `db`
    agent<{ mail: string }, "a">({ ...options, name: "a", hooks: [made.hook] });
  });

  it("and mistakes do not compile", () => {
    // @ts-expect-error: no model
    planning({});
    // @ts-expect-error: no such option
    planning({ model, reviews: false });
    expectTypeOf<NonNullable<PlanningOptions["gates"]>>().toEqualTypeOf<readonly string[]>();
    expectTypeOf<PlanningEvents["planning.stopped"]["message"]>().toEqualTypeOf<StopReason["message"]>();
  });
});
