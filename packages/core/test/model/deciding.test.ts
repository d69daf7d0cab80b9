import { scriptedModel } from "@pawl/testing";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { expectPrinted } from "../../../../test/support/printed.ts";
import {
  agent,
  agentTool,
  deciding,
  type Hook,
  memoryStore,
  type RunResult,
  runtime,
  tool,
  withRetry,
} from "../../src/index.ts";
import type { Decision, FinishedCall } from "../../src/model.ts";
import { atEveryAppend, eventsOf } from "../support/every-append.ts";

type Decide = Parameters<typeof deciding>[0];

const add = tool({
  name: "add",
  description: "Adds.",
  input: z.object({ a: z.number(), b: z.number() }),
  idempotent: true,
  execute: ({ a, b }) => ({ sum: a + b }),
});
const fail = tool({
  name: "fail",
  description: "Fails.",
  input: z.object({}),
  execute: () => {
    throw new Error("no luck");
  },
});

const made = (decide: Decide, more: object = {}) =>
  agent({
    name: "flow",
    model: deciding(decide),
    instructions: "Code decides.",
    tools: [add, fail],
    ...more,
  });

async function said(decide: Decide, more: object = {}, input = "go"): Promise<RunResult> {
  const flow = made(decide, more);
  return (await runtime({ agents: [flow], store: memoryStore() }).run(flow, { userId: "u", input })
    .result) as RunResult;
}

const call = (a: number, b: number) => ({ call: "add", input: { a, b } });

describe("deciding()", () => {
  it("F35 gets the results of the run in order, and the user's message", async () => {
    const seen: unknown[] = [];
    const result = await said((results, { message }) => {
      seen.push([message, ...results]);
      if (results.length === 0) return [call(1, 2), { call: "fail" }];
      return results.length === 2 ? call(3, 4) : `Done: ${JSON.stringify(results.at(-1)?.result)}`;
    });
    expect(result).toMatchObject({
      stop: { type: "end_turn" },
      text: 'Done: {"sum":7}',
      turns: 3,
      costUsd: 0,
    });
    const three = { tool: "add", input: { a: 1, b: 2 }, result: { sum: 3 }, success: true };
    const failed = { tool: "fail", input: {}, result: "no luck", success: false };
    const seven = { tool: "add", input: { a: 3, b: 4 }, result: { sum: 7 }, success: true };
    expect(seen).toEqual([["go"], ["go", three, failed], ["go", three, failed, seven]]);
  });

  it("F35 gets the input with which a tool ran, and only the results of this run", async () => {
    const seen: (readonly FinishedCall[])[] = [];
    const edit: Hook = { name: "edit", beforeTool: () => ({ input: { a: 10, b: 10 } }) };
    const flow = made(
      (results, { message }) => {
        seen.push(results);
        return results.length === 0 ? call(1, 1) : message;
      },
      { hooks: [edit] },
    );
    const pawl = runtime({ agents: [flow], store: memoryStore() });
    const { sessionId } = await pawl.run(flow, { userId: "u", input: "one" }).result;
    expect((await pawl.run(flow, { userId: "u", sessionId, input: "two" }).result).text).toBe("two");
    const ran = [{ tool: "add", input: { a: 10, b: 10 }, result: { sum: 20 }, success: true }];
    expect(seen).toEqual([[], ran, [], ran]);
  });

  it("F35 L14 answers one turn of another model's run, by a hook", async () => {
    const first: Hook = {
      name: "first",
      beforeTurn: (_, { run }) => (run.turns === 0 ? { model: deciding(() => call(1, 2)) } : undefined),
    };
    const model = scriptedModel([{ text: "Three." }]);
    const result = await said(() => "", { model, hooks: [first] });
    expect(result).toMatchObject({ text: "Three.", actions: [{ result: { sum: 3 } }] });
  });

  it("F35 L11 may speak although the agent is tool-only", async () => {
    const done = tool({
      name: "done",
      description: "Ends.",
      input: z.object({}),
      execute: () => "",
      endsRun: true,
    });
    const result = await said(() => "Closed.", { toolOnly: true, tools: [done] });
    expect(result).toMatchObject({ stop: { type: "end_turn" }, text: "Closed." });
  });

  it("F35 F2 gives the output of an agent as JSON, or as a call of final_answer", async () => {
    const output = z.object({ sum: z.number() });
    for (const decision of ['{"sum":3}', { call: "final_answer", input: { sum: 3 } }])
      expect(await said(() => decision, { output })).toMatchObject({ output: { sum: 3 } });
  });

  it.each<[string, unknown, string]>([
    [
      "nothing",
      undefined,
      'The function of deciding() must return a text, a call, e.g. { call: "search", input: { query: "…" } }, or a list of calls; got undefined.',
    ],
    ["an empty list", [], "got an empty list."],
    [
      "an unknown tool",
      { call: "ad" },
      'deciding() called "ad", which is not a tool of the agent; it has add, fail.',
    ],
    ["a tool without a name", { name: "add" }, "got { name }."],
    [
      "an input that is no object",
      { call: "add", input: [1] },
      '`input` of the call of "add" must be an object; got a list.',
    ],
    [
      "an input that is no JSON",
      { call: "add", input: { a: new Map() } },
      '`input` of the call of "add" must be JSON; ',
    ],
  ])("F35 ends the run with a clear error for %s", async (_, decision, message) => {
    const errors: unknown[] = [];
    const flow = agent({
      name: "flow",
      model: withRetry(deciding(() => decision as Decision)),
      instructions: "x",
      tools: [add, fail],
    });
    const onError = (error: unknown) => void errors.push((error as Error).message);
    const { stop } = await runtime({ agents: [flow], store: memoryStore(), onError }).run(flow, {
      userId: "u",
      input: "go",
    }).result;
    expect(stop).toMatchObject({ type: "error", cause: expect.stringContaining(message) });
    expect(errors).toEqual([expect.stringContaining(message)]);
  });

  it("F35 ends the run with the error of its function, which is not tried again", async () => {
    expectPrinted("no such row");
    let times = 0;
    const { stop } = await said(() => {
      times += 1;
      throw new Error("no such row");
    });
    expect(stop).toMatchObject({ type: "error", cause: "The function of deciding() failed: no such row" });
    expect(times).toBe(1);
    expect(() => deciding("x" as never)).toThrow("deciding() must be given a function; got a string.");
  });

  it("F35 R2 makes the same calls once, wherever the process dies", async () => {
    const node = (name: string, text: string) =>
      agentTool({
        agent: agent({ name, model: scriptedModel(() => ({ text })), instructions: name }),
        description: name,
      });
    const graph = () =>
      agent({
        name: "graph",
        instructions: "Code decides.",
        tools: [node("researcher", "5.8"), node("charts", "chart")],
        model: deciding((results) => {
          if (results.length === 0) return { call: "researcher", input: { task: "gdp" } };
          if (results.length === 1) return { call: "charts", input: { task: `chart ${results[0]?.result}` } };
          return `Done: ${results.map(({ result }) => result).join()}`;
        }),
      });
    const deaths = await atEveryAppend({
      agent: "graph",
      boot: (store) =>
        runtime({ agents: [graph()], store, onError: () => undefined, times: { storeRetryMs: [] } }),
      check: ({ runId, text }, all) => {
        expect(text).toBe("Done: 5.8,chart");
        expect(eventsOf(all, "tool_call", "s").map(({ data }) => [data.call_id, data.tool_name])).toEqual([
          [`toolu_${runId}_0`, "researcher"],
          [`toolu_${runId}_1`, "charts"],
        ]);
        expect(eventsOf(all, "run_started")).toHaveLength(3);
      },
    });
    expect(deaths).toBeGreaterThan(15);
  });
});
