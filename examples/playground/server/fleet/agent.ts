import { setTimeout } from "node:timers/promises";
import { type Agent, agent, tool } from "@pawl/core";
import { scriptedModel } from "@pawl/testing";
import * as z from "zod";

const BEDS = ["roses", "beans", "sage", "kale", "leeks", "asters"];

/** The number of steps of a run. */
export const STEPS: number = BEDS.length;

/**
 * Creates the agent of the fleet: it waters one bed after the other, and each takes `stepMs` milliseconds.
 * Its model is simulated. All processes have the same agent.
 */
export function gardener({ stepMs }: { stepMs: number }): Agent<unknown, "gardener"> {
  const water = tool({
    name: "water",
    description: "Waters a bed.",
    input: z.object({ bed: z.string() }),
    // A worker that takes over a run waters the bed again.
    idempotent: true,
    execute: async ({ bed }, { signal }) => {
      await setTimeout(stepMs, undefined, { signal });
      return `The ${bed} are watered.`;
    },
  });
  const model = scriptedModel(({ messages }) => {
    const bed = BEDS[messages.filter(({ role }) => role === "assistant").length];
    return bed === undefined
      ? { text: "All beds are watered." }
      : { tools: [{ name: "water", input: { bed } }] };
  });
  return agent({
    name: "gardener",
    model,
    instructions: "Water the beds, one after the other.",
    tools: [water],
  });
}
