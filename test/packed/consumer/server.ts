// A user's server. It exports an agent without a declared type, which has to be one that declarations can name.
import { agent, type ModelClient, tool } from "@pawl/core";
import * as z from "zod";

const model: ModelClient = { id: "silent", async *stream() {} };
const weather = tool({
  name: "weather",
  description: "The weather in a city.",
  input: z.object({ city: z.string() }),
  execute: () => ({ celsius: 12, at: new Date() }),
});
const choose = tool({
  name: "choose",
  description: "Lets the user choose.",
  input: z.object({ options: z.array(z.string()) }),
  suspends: { answer: z.object({ option: z.string() }) },
});
export const guide = agent({ name: "guide", model, instructions: "You guide.", tools: [weather, choose] });
