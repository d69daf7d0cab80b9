import { jsonSchema, tool } from "../../src/index.ts";
import type { Setup } from "./setup.ts";

/** A tool that notes who calls it. */
export function doing(name: string, ran: string[] = [], more: { idempotent?: boolean } = {}) {
  return tool({
    name,
    description: `Does ${name}.`,
    input: jsonSchema({ type: "object" }),
    ...more,
    execute: (_input, { caller }) => {
      ran.push(`${name} for ${caller.role}`);
      return `${name} is done`;
    },
  });
}

export const calling = (name: string) => ({ tools: [{ name, input: {} }] });
export const done = { text: "Done." };
export const admin = { caller: { role: "admin" } };
export const guest = { caller: { role: "guest" } };
export const sentTools = ({ model }: Setup) =>
  model.requests.map(({ tools }) => tools?.map(({ name }) => name).join(" "));
export const results = async (world: Setup, sessionId: string) =>
  (await world.of(sessionId, "tool_result")).map(({ data }) => data.result);
export const prefixes = async (world: Setup, sessionId: string) =>
  (await world.of(sessionId, "prefix")).map(({ data }) => data.tools.map(({ name }) => name).join(" "));
