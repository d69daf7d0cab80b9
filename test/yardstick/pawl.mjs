// Pawl for the yardstick that docs/benchmarks.md describes: one agent with one tool, the log in memory.
import { claude } from "@pawl/anthropic";
import { agent, memoryStore, runtime, tool } from "@pawl/core";
import * as z from "zod";

/** The text of the last text block. */
const textOf = (content) => content.findLast((block) => block.type === "text")?.text ?? "";

/** What of each text no delta has shown. */
const unshown = (content, shown) =>
  content
    .map((block, index) => (block.type === "text" ? block.text.slice(shown.get(index) ?? 0) : ""))
    .filter((rest) => rest !== "");

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
    limits: { turns: 1_000 },
  });
  const pawl = runtime({ agents: [calculator], store: memoryStore() });
  return {
    // Reads the run as a client does: deltas as they come, and from the stored answer what no delta has shown.
    async run(onText) {
      const run = pawl.run("calculator", { userId: "u", input: prompt });
      const shown = new Map();
      let text = "";
      for await (const { type, data } of run) {
        if (type === "text_delta") {
          shown.set(data.index, data.offset + data.text.length);
          onText(data.text);
        } else if (type === "assistant_message") {
          text = textOf(data.content);
          for (const rest of unshown(data.content, shown)) onText(rest);
          shown.clear();
        }
      }
      await run.result;
      return text;
    },
  };
}
