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

export const guide = agent({
  name: "guide",
  model: {} as ModelClient,
  instructions: "x",
  tools: [weather, showOptions],
});
