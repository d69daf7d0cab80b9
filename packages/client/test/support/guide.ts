import { agent, type ModelClient, tool } from "@pawl/core";
import * as z from "zod";

const weather = tool({
  name: "weather",
  description: "",
  input: z.object({ city: z.string(), days: z.number().default(1) }),
  execute: async () => ({ celsius: 12, at: new Date() }),
});
const showOptions = tool({
  name: "show_options",
  description: "",
  input: z.object({ options: z.array(z.string()) }),
  suspends: { answer: z.object({ option: z.string() }) },
});

/** An agent whose runs end with an object. */
export const surveyor = agent({
  name: "surveyor",
  model: {} as ModelClient,
  instructions: "x",
  tools: [weather],
  output: z.object({ city: z.string(), days: z.array(z.object({ celsius: z.number() })) }),
});

export const guide = agent({
  name: "guide",
  model: {} as ModelClient,
  instructions: "x",
  tools: [weather, showOptions],
});
