import { agent, tool } from "@pawl/core";
import { scriptedModel } from "@pawl/testing";
import * as z from "zod";
import { pause } from "./pause.ts";

const STEPS = 8;

const step = tool({
  name: "step",
  description: "Takes a moment.",
  input: z.object({ place: z.number() }),
  idempotent: true,
  execute: async ({ place }) => {
    await pause(300, "the time that a step takes");
    return `at ${place}`;
  },
});
/** An agent whose runs take at least 2.4 seconds. */
export const walker = agent({
  name: "walker",
  model: scriptedModel(({ messages }) => {
    const place = messages.filter(({ role }) => role === "assistant").length;
    return place < STEPS ? { tools: [{ name: "step", input: { place } }] } : { text: "Arrived." };
  }),
  instructions: "You walk.",
  tools: [step],
});
