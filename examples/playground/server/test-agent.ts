import { appendFile } from "node:fs/promises";
import { join } from "node:path";
import { type Agent, agent, type ModelClient, tool } from "@pawl/core";
import * as z from "zod";

/**
 * Creates an agent for tests that kill the server. It is served only with PAWL_TEST=1. Each call of its tool
 * `record` writes a line with the call id to `effects.log`, so that tests can count executions.
 */
export function testAgent(model: ModelClient, dir: string): Agent<unknown> {
  const input = z.object({ value: z.string() });
  const pause = () => new Promise((resolve) => setTimeout(resolve, 20));
  return agent({
    name: "tester",
    model,
    instructions: "You are a test.",
    tools: [
      tool({
        name: "record",
        description: "Must not run twice.",
        input,
        execute: async ({ value }, { callId }) => {
          await appendFile(join(dir, "effects.log"), `${callId}\n`);
          await pause();
          return `recorded ${value}`;
        },
      }),
      tool({
        name: "look",
        description: "May run twice.",
        input,
        idempotent: true,
        execute: async ({ value }) => {
          await pause();
          return `saw ${value}`;
        },
      }),
      tool({ name: "ask", description: "Asks.", input, suspends: { answer: z.string() } }),
    ],
  });
}
