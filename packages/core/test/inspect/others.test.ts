import { scriptedModel } from "@pawl/testing";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { agent, agentTool, type Hook, type ToolContext, tool } from "../../src/index.ts";
import { spendingsOf, sumOf, timelineOf } from "../../src/inspect.ts";
import { pricing } from "../support/pricing.ts";
import { setup } from "../support/setup.ts";

const usage = { input_tokens: 1_000, output_tokens: 100 };
const judge = scriptedModel(() => ({ text: "Safe.", usage }), { id: "judge", pricing });
const writer = scriptedModel(() => ({ text: "Found.", usage }), { id: "writer", pricing });

const guard: Hook = {
  name: "guard",
  beforeRun: async ({ askModel, append }) => {
    await askModel(judge, { prompt: "Safe?", key: "safe" });
    await append({ type: "guard.asked", key: "g", data: { safe: true } });
    return undefined;
  },
};
const search = tool({
  name: "search",
  description: "Searches.",
  input: z.object({}),
  execute: async (_, { askModel, append }: ToolContext) => {
    await append({ type: "search.asked", data: { q: "Q4" } });
    return (await askModel(writer, { prompt: "Write." })).text;
  },
});

describe("O4 the timeline of a run", () => {
  it("F21 names who asked another model, and which; the sum is the run's cost", async () => {
    const script = [{ tools: [{ name: "search", input: {} }] }, { text: "Ok." }];
    const world = setup(script, { hooks: [guard], tools: [search] });
    const { sessionId, costUsd } = await world.say("Go");
    const [run] = timelineOf(await world.log(sessionId));
    if (run === undefined) throw new Error("no run");
    expect(run.others).toMatchObject([
      { by: "guard", model: "judge", costUsd: 0.003, tokens: { prompt: 1_000, completion: 100 } },
      { by: "search", model: "writer", costUsd: 0.003 },
    ]);
    for (const { from, to } of run.others) expect(to).toBeGreaterThanOrEqual(from);
    const named = spendingsOf(run).flatMap((one) => ("by" in one ? [`${one.by}: ${one.model}`] : []));
    expect(named).toEqual(["guard: judge", "search: writer"]);
    expect(sumOf(run.others)).toEqual(run.summaries);
    expect(sumOf(spendingsOf(run)).costUsd).toBeCloseTo(costUsd, 9);
  });

  it("F22 has the events that hooks and tools have stored, in order", async () => {
    const script = [{ tools: [{ name: "search", input: {} }] }, { text: "Ok." }];
    const world = setup(script, { hooks: [guard], tools: [search] });
    const { sessionId } = await world.say("Go");
    const log = await world.log(sessionId);
    const [run] = timelineOf(log);
    expect(run?.events).toMatchObject([
      { type: "guard.asked", data: { safe: true } },
      { type: "search.asked", data: { q: "Q4" } },
    ]);
    for (const { seq, at } of run?.events ?? []) expect(Date.parse(log[seq - 1]?.at ?? "")).toBe(at);
  });

  it("F19 names the sub-agent that a call's input has chosen, and no other", async () => {
    const model = scriptedModel(() => ({ text: "Done." }));
    const law = agent({ name: "law", model, instructions: "Help." });
    const input = z.object({ expert: z.string() });
    const message = () => "Go";
    const expert = agentTool({ name: "expert", description: "Asks.", input, message, agents: () => law });
    const fixed = agentTool({ agent: law, description: "Asks." });
    const tools = [
      { name: "expert", input: { expert: "law" } },
      { name: "law", input: { task: "Go" } },
    ];
    const world = setup([{ tools }, { text: "Ok." }], { tools: [expert, fixed] });
    const { sessionId } = await world.say("Go");
    const [run] = timelineOf(await world.log(sessionId));
    expect(run?.turns[0]?.calls.map(({ toolName, agent }) => [toolName, agent])).toEqual([
      ["expert", "law"],
      ["law", undefined],
    ]);
  });
});
