import { setTimeout } from "node:timers/promises";
import { claude } from "@pawl/anthropic";
import { type Agent, agent, resilient, tool } from "@pawl/core";
import { scriptedModel } from "@pawl/testing";
import * as z from "zod";

const CITIES = ["Oslo", "Lima", "Kyoto", "Accra", "Quito"];

// Slow, like a real one. It may run twice, so a worker that takes over a run calls it again.
const weather = tool({
  name: "weather",
  description: "Returns the weather of a city.",
  input: z.object({ city: z.string() }),
  idempotent: true,
  execute: async ({ city }, { signal }) => {
    await setTimeout(1_000, undefined, { signal });
    return `${city}: ${10 + city.length} °C, dry.`;
  },
});

/** Stands in for Claude where there is no key: looks up one city after the other. */
const simulated = scriptedModel(({ messages }) => {
  const city = CITIES[messages.filter(({ role }) => role === "assistant").length];
  if (city === undefined) return { text: "It is dry everywhere. Pack light." };
  return { tools: [{ name: "weather", input: { city } }] };
});

/** An agent whose runs take several turns. All processes have the same, with the same tools. */
export const traveller: Agent<unknown, "traveller"> = agent({
  name: "traveller",
  model: process.env.ANTHROPIC_API_KEY ? resilient(claude("claude-sonnet-5-5")) : simulated,
  instructions: `Look up the weather in ${CITIES.join(", ")}, one city at a time, and say what to pack.`,
  tools: [weather],
});
