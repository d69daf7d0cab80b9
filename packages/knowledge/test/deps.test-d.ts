import {
  type Agent,
  agent,
  type Hook,
  type ModelClient,
  type RunContext,
  type UserDataSource,
} from "@pawl/core";
import { describe, expectTypeOf, it } from "vitest";
import * as z from "zod";
import {
  type ContextSection,
  type DataSource,
  dataSource,
  fetchSources,
  initializer,
  type SourceRequest,
  skillHook,
  unifiedContext,
} from "../src/index.ts";

interface Db {
  db: string;
}

const named = { name: "a", description: "" };
const params = z.object({ days_back: z.int().default(14) });
const model = {} as ModelClient;
const free = dataSource({ ...named, fetch: () => 1 });
const reads = dataSource({ ...named, fetch: ({ deps }: SourceRequest<Db>) => deps.db });

describe("I4 D2 what sources need of deps is part of their types", () => {
  it("and params are typed by their schema", () => {
    expectTypeOf(free).toEqualTypeOf<DataSource>();
    expectTypeOf(reads).toEqualTypeOf<DataSource<Db>>();
    dataSource({
      ...named,
      params,
      fetch: ({ params: { days_back } }) => {
        expectTypeOf(days_back).toEqualTypeOf<number>();
        return [days_back];
      },
      format: (raw) => {
        expectTypeOf(raw).toEqualTypeOf<number[]>();
        return raw.join();
      },
    });
    const both = dataSource({
      ...named,
      params,
      fetch: async ({ deps, params: { days_back } }: SourceRequest<Db, { days_back: number }>) =>
        deps.db + days_back,
      format: (raw) => raw.trim(),
    });
    expectTypeOf(both).toEqualTypeOf<DataSource<Db>>();
  });

  it("and so does the code that fetches them", () => {
    const hook = initializer({ model, sources: [free, reads] });
    expectTypeOf(hook).toEqualTypeOf<Hook<Db>>();
    expectTypeOf(agent({ name: "a", model, instructions: "", hooks: [hook] })).toEqualTypeOf<
      Agent<Db, "a">
    >();
    void fetchSources([free, reads], [], { userId: "u", deps: { db: "" } });
    // @ts-expect-error the source needs a database
    void fetchSources([reads], [], { userId: "u", deps: {} });
    // @ts-expect-error the source needs a database
    const wrong: DataSource = reads;
    void wrong;
  });

  it("and of sections and signals", () => {
    const section: ContextSection<Db> = { tag: "a", fetch: ({ deps }) => deps.db };
    const userData = unifiedContext({ sections: [section, { tag: "b", fetch: () => "" }] });
    expectTypeOf(userData).parameter(0).toEqualTypeOf<UserDataSource<Db>>();
    const signals = (_message: string, { deps }: RunContext<Db>) => [deps.db];
    expectTypeOf(skillHook({ skills: [], signals })).toEqualTypeOf<Hook<Db>>();
  });
});
