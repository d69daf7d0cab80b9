// Pawl in the comparison that docs/benchmarks.md describes: one agent with one tool, and the log in memory.
import { claude } from "@pawl/anthropic";
import { agent, memoryStore, runtime, tool } from "@pawl/core";
import * as z from "zod";

export function create({ baseURL, apiKey, model, system, prompt, execute }) {
  const calculator = agent({
    name: "calculator",
    model: claude(model, { baseURL, apiKey }),
    instructions: system,
    tools: [
      tool({
        name: "add",
        description: "Add two numbers",
        input: z.object({ a: z.number(), b: z.number(), note: z.string().optional() }),
        execute,
      }),
    ],
    limits: { turns: 1_000, toolCalls: 1_000 },
  });
  const pawl = runtime({ agents: [calculator], store: memoryStore() });
  return {
    async run(onText) {
      const run = pawl.run("calculator", { userId: "u", input: prompt });
      const shown = new Map();
      let text = "";
      for await (const { type, data } of run) {
        if (type === "text_delta") {
          shown.set(data.index, data.offset + data.text.length);
          onText(data.text);
        } else if (type === "assistant_message") {
          text = showRest(data.content, shown, onText);
        }
      }
      await run.result;
      return text;
    },
  };
}

/**
 * Shows the text that no delta has shown, as a client does when the stored answer arrives. Returns the last
 * text.
 */
function showRest(content, shown, onText) {
  let text = "";
  for (const [index, block] of content.entries()) {
    if (block.type !== "text") continue;
    text = block.text;
    const rest = text.slice(shown.get(index) ?? 0);
    if (rest !== "") onText(rest);
  }
  shown.clear();
  return text;
}
