import { agent, type ModelClient, memoryStore, type RunResult, runtime } from "@pawl/core";
import { expect } from "vitest";

/** Calls a function as JavaScript would, without types, and returns the message of its error. */
export function refused(call: (f: (...given: unknown[]) => unknown) => unknown, f: unknown): string {
  try {
    call(f as (...given: unknown[]) => unknown);
    return "accepted";
  } catch (error) {
    return String(error);
  }
}

/** Runs a model whose set-up is wrong, checks that the console has the cause, and returns what the user gets. */
export async function firstRun(model: ModelClient): Promise<RunResult["stop"]> {
  const printed: unknown[] = [];
  const made = agent({ name: "a", model, instructions: "Help." });
  const pawl = runtime({ agents: [made], store: memoryStore(), onError: (error) => printed.push(error) });
  const { stop } = await pawl.run("a", { userId: "u", input: "Hi" }).result;
  expect(printed.map((error) => (error as Error).message)).toEqual([stop.cause]);
  return stop;
}
