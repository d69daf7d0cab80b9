import { strictModel, testClock } from "@pawl/testing";
import { expect, it } from "vitest";
import * as z from "zod";
import { agent, agentTool, type StoredOf, tool } from "../../../src/index.ts";
import { named } from "../../support/hooks.ts";
import { setup } from "../../support/setup.ts";
import { askWith, calling, text } from "../../support/tools.ts";

it("O1 a result says how long its work took, a tool's, a failed one's and an agent's without its user's time", async () => {
  const clock = testClock();
  const slow = tool({
    name: "slow",
    description: "",
    input: z.object({ text: z.string() }),
    execute: async ({ text: said }) => {
      await clock.advance(700);
      if (said === "fail") throw new Error("no");
      return "ok";
    },
  });
  const ask = askWith(text);
  const worker = agent({
    name: "worker",
    instructions: "Work.",
    model: strictModel({
      script: [
        { tools: [calling("slow")] },
        { tools: [calling("ask")] },
        { tools: [calling("slow", "b")] },
        { text: "Done." },
      ],
    }),
    tools: [slow, ask],
  });
  const task = { name: "worker", id: "toolu_w", input: { task: "Do it." } };
  const rewriting = named("rewriting", {
    afterTool: ({ success }) => (success ? { result: "rewritten" } : undefined),
  });
  const world = setup(
    [
      { tools: [calling("slow")] },
      { tools: [calling("slow", "fail")] },
      { tools: [task] },
      { text: "Fine." },
    ],
    { tools: [slow, agentTool({ agent: worker, description: "" })], hooks: [rewriting] },
    { testing: { clock } },
  );
  const { sessionId, actions } = await world.say("Go");
  expect(actions[0]?.result).toBe("rewritten");
  await clock.advance(60_000);
  await world.answer(sessionId, "toolu_w", "yes");
  const results: StoredOf<"tool_result">[] = await world.of(sessionId, "tool_result");
  expect(results.map(({ data, durationMs }) => [data.success, durationMs])).toEqual([
    [true, 700],
    [false, 700],
    [true, 700],
  ]);
});
