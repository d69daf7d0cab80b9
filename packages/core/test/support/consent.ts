import type { Reply } from "@pawl/testing";
import { expect } from "vitest";
import * as z from "zod";
import { approval, type EventStore, memoryStore, type Tool, tool } from "../../src/index.ts";
import { type Options, type Setup, setup, user } from "./setup.ts";

export const call = { tools: [{ name: "note", id: "toolu_n", input: { path: "/a" } }] };
export const rest: Reply[] = [{ text: "Ok." }, { text: "Fine." }];
export const askFirst = [approval({ when: ["note"] })];
export const yes = { approved: true };

/** A version of the tool, and the inputs with which it ran. */
export function note(input: z.ZodType = path, more: object = {}) {
  const ran: unknown[] = [];
  const execute = (given: unknown) => {
    ran.push(given);
    return "done";
  };
  return {
    ran,
    tool: tool({ name: "note", description: "Notes.", input, execute, ...more } as never) as Tool,
  };
}

export const path = z.object({ path: z.string() });
export const withDefault = z.object({ path: z.string(), wipe: z.boolean().default(true) });

/** Processes with versions of the agent, one after the other. The lease of the one before has expired. */
export function versions() {
  let now = 0;
  const store = memoryStore({ now: () => now });
  let version = 0;
  const boot = (
    one: Tool,
    script: readonly Reply[] = rest,
    options: Options = {},
    over: EventStore = store,
  ) => {
    now += 60_000;
    version += 1;
    return setup(
      script,
      { version: String(version), tools: [one], hooks: askFirst, ...options },
      { store: over },
    );
  };
  return { store, boot };
}

/** Asks the user about a call of this tool. */
export async function asked(
  one: Tool = note().tool,
  options: Options = {},
  script: readonly Reply[] = [call],
) {
  const { boot, store } = versions();
  const world = boot(one, script, options);
  const { sessionId, pending } = await world.say("Go");
  expect(pending).toHaveLength(1);
  return { boot, store, sessionId, question: pending[0]?.seq ?? 0 };
}

/** Answers the question with this number. */
export const answer = (world: Setup, sessionId: string, question: number, value: object = yes) =>
  world.pawl.run("tester", {
    ...user,
    sessionId,
    answers: [{ callId: "toolu_n", question, value: value as never }],
  }).result;
