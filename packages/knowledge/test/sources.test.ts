import { jsonSchema } from "@pawl/core";
import { testClock } from "@pawl/testing";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { dataSource, fetchSources, type SourceRequest } from "../src/index.ts";

const who = { userId: "u1", deps: undefined };
const plain = (name: string, fetch: (request: SourceRequest) => unknown = () => name) =>
  dataSource({ name, description: `All of ${name}.`, fetch });

describe("data sources", () => {
  it("I4 have a name, words for people and for the model, params, a fetch and a format", async () => {
    interface Deps {
      rows: readonly string[];
    }
    const source = dataSource({
      name: "workout_history",
      displayName: "Your workouts",
      description: "Past workouts.",
      params: z.object({ days_back: z.int().default(14) }),
      fetch: ({ userId, params, deps }: SourceRequest<Deps, { days_back: number }>) =>
        deps.rows.map((row) => `${userId} ${row} ${params.days_back}`),
      format: (rows) => rows.join("\n"),
    });
    const deps = { rows: ["squats", "rows"] };
    expect(await fetchSources([source], [{ source: "workout_history" }], { userId: "u1", deps })).toEqual([
      {
        source: "workout_history",
        displayName: "Your workouts",
        params: { days_back: 14 },
        data: "u1 squats 14\nu1 rows 14",
      },
    ]);
    expect(source.paramsSchema).toMatchObject({
      properties: { days_back: { type: "integer", default: 14 } },
    });
  });

  it("I4 go without words for people, params and a format: the name, nothing, and JSON", async () => {
    const source = plain("goals", ({ params }) => ({ params, goal: "run" }));
    const queries = [{ source: "goals", params: { days_back: 3 } }];
    expect(await fetchSources([source], queries, who)).toEqual([
      { source: "goals", displayName: "goals", params: {}, data: '{"params":{},"goal":"run"}' },
    ]);
    expect((await fetchSources([plain("none", () => undefined)], [{ source: "none" }], who))[0]?.data).toBe(
      "",
    );
  });

  it("I4 take params as plain JSON Schema, too", async () => {
    const params = jsonSchema<{ limit: number }>({
      type: "object",
      properties: { limit: { type: "integer", maximum: 5 } },
      required: ["limit"],
    });
    const source = dataSource({
      name: "a",
      description: "",
      params,
      fetch: ({ params: { limit } }) => `${limit}`,
    });
    const queries = [
      { source: "a", params: { limit: 5 } },
      { source: "a", params: { limit: 6 } },
      { source: "a" },
    ];
    const found = await fetchSources([source], queries, who);
    expect(found.map(({ data, error }) => data ?? error?.code)).toEqual([
      "5",
      "invalid_params",
      "invalid_params",
    ]);
  });

  it.each([
    ["an invalid name", { name: "a b" }, /"a b" is not a valid name/],
    ["the name of core's own source", { name: "user_data" }, /not user_data/],
    [
      "params that are no object",
      { params: z.string() as never },
      /must be the schema of an object; .* type "string"/,
    ],
    [
      "params that JSON cannot say",
      { params: z.object({ at: z.date() }) as never },
      /JSON Schema cannot express/,
    ],
    ["no room", { maxChars: 0 }, /maxChars of the data source "ok" must be a whole number from 1/],
    ["no time", { timeoutMs: 0.5 }, /timeoutMs of the data source "ok"/],
  ])("I4 are refused with %s", (_title, options, message) => {
    expect(() => dataSource({ name: "ok", description: "", fetch: () => "", ...options })).toThrow(message);
  });
});

describe("fetching sources", () => {
  it("I2 fetches side by side, and answers in the order of the queries", async () => {
    const [first, second] = [Promise.withResolvers<string>(), Promise.withResolvers<string>()];
    const began: string[] = [];
    const waiting = (name: string, { promise }: PromiseWithResolvers<string>) =>
      plain(name, async () => {
        began.push(name);
        return await promise;
      });
    const sources = [waiting("one", first), waiting("two", second)];
    const fetched = fetchSources(sources, [{ source: "two" }, { source: "one" }], who);
    await new Promise((resolve) => setImmediate(resolve));
    expect(began).toEqual(["two", "one"]);
    first.resolve("1");
    second.resolve("2");
    expect((await fetched).map(({ source, data }) => [source, data])).toEqual([
      ["two", "2"],
      ["one", "1"],
    ]);
  });

  it("I3 I4 says of each what is wrong with it, and gives the others all the same", async () => {
    const secret = new Error("password=hunter2 at db.internal");
    const sources = [
      plain("throws", () => {
        throw secret;
      }),
      plain("rejects", async () => await Promise.reject(new Error("later"))),
      dataSource({ name: "lies", description: "", fetch: () => 1, format: () => 1 as never }),
      plain("cyclic", () => {
        const loop: { self?: unknown } = {};
        loop.self = loop;
        return loop;
      }),
      plain("fine"),
    ];
    const queries = [...sources.map(({ name }) => ({ source: name })), { source: "__proto__" }];
    const found = await fetchSources(sources, queries, who);
    expect(found.map(({ data, error }) => data ?? error?.code)).toEqual([
      ...["failed", "failed", "failed", "failed", "fine", "unknown_source"],
    ]);
    expect(found[0]?.error).toMatchObject({
      message: 'The data source "throws" could not be read.',
      cause: secret,
    });
    expect(found.map(({ error }) => error?.message).join()).not.toContain("hunter2");
  });

  it("I3 leaves behind what is too slow, and tells it by its signal", async () => {
    const clock = testClock();
    const reasons: unknown[] = [];
    const hanging = (name: string, timeoutMs?: number) =>
      dataSource({
        name,
        description: "",
        ...(timeoutMs !== undefined && { timeoutMs }),
        fetch: ({ signal }) =>
          new Promise<string>(() =>
            signal.addEventListener("abort", () => reasons.push(`${name} ${signal.reason}`)),
          ),
      });
    const sources = [hanging("own", 100), hanging("shared"), plain("quick")];
    const queries = sources.map(({ name }) => ({ source: name }));
    let done = false;
    const fetched = fetchSources(sources, queries, { ...who, timeoutMs: 1_000, clock }).finally(() => {
      done = true;
    });
    await clock.advance(100);
    expect([reasons.length, done]).toEqual([1, false]);
    await clock.advance(900);
    expect((await fetched).map(({ data, error }) => data ?? error?.code)).toEqual([
      "timed_out",
      "timed_out",
      "quick",
    ]);
    expect(reasons).toEqual([
      "own TimeUp: It took longer than 100 ms.",
      "shared TimeUp: It took longer than 1000 ms.",
    ]);
  });

  it("I3 calls everything off when its caller does", async () => {
    const control = new AbortController();
    const reason = new Error("enough");
    const hanging = plain("hangs", () => new Promise(() => {}));
    const fetched = fetchSources([hanging], [{ source: "hangs" }], {
      ...who,
      signal: control.signal,
      timeoutMs: 100_000,
    });
    control.abort(reason);
    await expect(fetched).rejects.toBe(reason);
    const again = fetchSources([plain("a")], [{ source: "a" }], { ...who, signal: control.signal });
    await expect(again).rejects.toBe(reason);
  });

  it("I4 cuts what is too long, and no character in two", async () => {
    const source = dataSource({ name: "long", description: "", maxChars: 3, fetch: () => "ab😀cd" });
    const [found] = await fetchSources([source], [{ source: "long" }], who);
    expect(found?.data).toBe("ab\n[clipped: 4 of 6 chars]");
  });

  it("I4 refuses two sources of one name", async () => {
    await expect(fetchSources([plain("a"), plain("a")], [], who)).rejects.toThrow(
      'Two data sources are named "a"; names must be unique.',
    );
  });
});
