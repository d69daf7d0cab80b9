import { type Agent, agent, type Tool, tool } from "@pawl/core";
import { type Reply, type Rules, type StrictModel, strictModel } from "@pawl/testing";
import * as z from "zod";
import { pause } from "./pause.ts";

/** Two versions of an agent over one model, and what their tools have done. */
export interface DeployedAgent {
  model: StrictModel;
  /** The versions in which the tool of each call ran, by call id. */
  effects: Map<string, string[]>;
  version(name: "1" | "2"): Agent;
}

const nothing = z.object({});

/**
 * Makes an agent whose second version has other instructions, lacks a tool, and has other schemas of an input
 * and an answer. One tool becomes idempotent. While `isSlow`, the answer to a user who asked slowly takes longer
 * than any deploy.
 */
export function deployedAgent(isSlow: () => boolean): DeployedAgent {
  const model = strictModel({
    rules: rulesWhile(isSlow),
    pricing: { input: 2, output: 10, cacheRead: 0.1, cacheWrite5m: 2.5, cacheWrite1h: 4 },
  });
  const effects = new Map<string, string[]>();
  const acts = (version: string, name: string, idempotent: boolean, input: z.ZodObject = nothing) =>
    tool({
      name,
      description: `Acts, in version ${name === "measure" ? version : "1"}.`,
      input,
      idempotent,
      execute: async (_, { callId, signal }) => {
        effects.set(callId, [...(effects.get(callId) ?? []), version]);
        // Half of the tools are cut off by a deploy only when they ignore their signal for too long.
        await pause(20, "the time that a tool takes", callId.charCodeAt(10) % 2 === 0 ? signal : undefined);
        return `${name} done`;
      },
    });
  const asks = (answer: z.ZodType) =>
    tool({
      name: "ask",
      description: "Asks.",
      input: nothing,
      suspends: { answer: answer as z.ZodString },
    }) as Tool<unknown>;
  const versions = {
    "1": [
      acts("1", "charge", false),
      acts("1", "look_up", true),
      acts("1", "promote", false),
      acts("1", "legacy", false),
      acts("1", "measure", false, z.object({ city: z.string() })),
      asks(z.string()),
    ],
    "2": [
      acts("2", "charge", false),
      acts("2", "look_up", true),
      acts("2", "promote", true),
      acts("2", "measure", false, z.object({ town: z.string() })),
      asks(z.object({ yes: z.boolean() })),
    ],
  };
  const make = (version: "1" | "2"): Agent =>
    agent({
      name: "coach",
      version,
      model,
      instructions: `You are version ${version} of a coach.`,
      tools: versions[version],
      // Calls that were cut off count as failed.
      limits: { errorTurns: 10, toolFailures: 10, wallClockMs: 300_000 },
    }) as Agent;
  return { model, effects, version: make };
}

/** The calls of each turn. */
const TURNS = [["charge", "look_up", "legacy"], ["ask", "measure", "promote"], ["charge", "promote"], []];

const rulesWhile =
  (isDeploying: () => boolean): Rules =>
  (request) => {
    const turn = request.messages.filter(({ role }) => role === "assistant").length;
    const known = new Set((request.tools ?? []).map(({ name }) => name));
    const tools = (TURNS[turn] ?? []).filter((name) => known.has(name));
    const isSlow = isDeploying() && turn === 0 && JSON.stringify(request.messages[0]).includes("slowly");
    const reply: Reply = {
      text: isSlow ? "word ".repeat(160) : "One moment.",
      tools: tools.map((name) => ({ name, input: name === "measure" ? { city: "Bern" } : {} })),
      delayPerEventMs: isSlow ? 400 : 3,
    };
    return reply;
  };
