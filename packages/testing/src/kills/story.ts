import { type Agent, agent, jsonSchema, type ModelClient, tool } from "@pawl/core";
import type { Reply } from "../base/reply.ts";

/** The name of the agent whose runs are continued by one worker after the other. */
export const AGENT = "killed";

/** The answer to the agent's question, and the text of its last turn. */
export const ANSWER = "Bern";
export const LAST_TEXT = "Arrived.";

/** The tool that may run again, and the one that must not. */
export const AGAIN = "look";
export const ONCE = "pay";
const ASK = "ask";

/** The calls of each turn of a run. The sixth turn has none and ends the run. */
const TURNS: readonly (readonly string[])[] = [
  [AGAIN, ONCE],
  [ASK, ONCE],
  [AGAIN, AGAIN],
  [ONCE],
  [AGAIN, ONCE],
];

/** The number of turns of a run. */
export const TURN_COUNT: number = TURNS.length + 1;

/** Returns the model's answer in a turn. It takes some time, so that kills come in the middle of answers. */
export function replyOf(turn: number): Reply {
  // No two calls of a run are equal: the second one would be skipped.
  const tools = (TURNS[turn] ?? []).map((name, n) => ({ name, input: { place: 10 * turn + n } }));
  const text = tools.length > 0 ? "One moment." : LAST_TEXT;
  return { text, tools, deltas: 4, latencyMs: 20, delayPerEventMs: 4 };
}

/** Takes one step of a call, e.g. pays. Resolves once the step is done. */
export type Step = (step: {
  tool: string;
  sessionId: string;
  callId: string;
  signal?: AbortSignal;
}) => Promise<void>;

const input = jsonSchema({
  type: "object",
  properties: { place: { type: "number" } },
  required: ["place"],
  additionalProperties: false,
});
const answer = jsonSchema<string>({ type: "string" });

/**
 * Makes the agent: its runs take six turns, with a tool that may run again, one that must not, and a
 * question. Every execution of a tool takes one `step`.
 */
export function killedAgent(model: ModelClient, step: Step): Agent<unknown, typeof AGENT> {
  const look = tool({
    name: AGAIN,
    description: "Looks around.",
    input,
    idempotent: true,
    execute: async (_, { sessionId, callId, signal }) => {
      await step({ tool: AGAIN, sessionId, callId, signal });
      return "seen";
    },
  });
  const pay = tool({
    name: ONCE,
    description: "Pays a fare.",
    input,
    // Ignores its signal: a worker that has lost its lease comes back with a late result.
    execute: async (_, { sessionId, callId }) => {
      await step({ tool: ONCE, sessionId, callId });
      return "paid";
    },
  });
  const ask = tool({ name: ASK, description: "Asks where to go.", input, suspends: { answer } });
  return agent({
    name: AGENT,
    model,
    instructions: "You travel.",
    tools: [look, pay, ask],
    // A call whose worker died has an unknown outcome, and counts as failed.
    limits: { turns: 20, wallClockMs: 3_600_000, errorTurns: 20, toolFailures: 20 },
  });
}
