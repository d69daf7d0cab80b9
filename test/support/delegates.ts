import { type Agent, agent, agentTool, type Tool } from "@pawl/core";
import { type Reply, type Rules, type StrictModel, strictModel } from "@pawl/testing";
import fc from "fast-check";
import * as z from "zod";

/** The replies of the model of every sub-agent. */
export const childScript: fc.Arbitrary<readonly Reply[]> = fc.constantFrom<readonly Reply[]>(
  [{ text: "Found it." }],
  [{ tools: [{ name: "ask", input: { value: "Which one?" } }] }, { text: "That one." }],
  [
    {
      tools: [
        { name: "save", input: { value: "x" } },
        { name: "ask", input: { value: "?" } },
      ],
    },
    { text: "So." },
  ],
  [{ tools: [{ name: "survey", input: { value: "b" } }] }, { text: "Both." }],
  [{ tools: [{ name: "patient", input: { value: "c" } }] }, { text: "At last." }],
  [
    {
      tools: [
        { name: "patient", input: { value: "a" } },
        { name: "ask", input: { value: "?" } },
      ],
    },
    { text: "Both." },
  ],
  [{ text: "No.", stop: "refusal" }],
  [{ fault: { status: 400 } }],
);

/** The agents that the input of `expert` can choose. Only admins may use `vault`. */
export const EXPERTS = ["finder", "clerk", "vault"] as const;

/** The most turns of a task of `expert`. */
export const EXPERT_TURNS = 4;

/** A call of `expert`. Some names are made up, or every object has them. */
export const expertCall = fc.record({
  name: fc.constant("expert"),
  input: fc.record({
    expert: fc.constantFrom(...EXPERTS, ...EXPERTS, "nobody", "constructor", "__proto__"),
    task: fc.constant("Look it up."),
  }),
});

/** Tools that are sub-agents, and the models of the sub-agents. */
export interface Delegates {
  tools: readonly Tool<unknown>[];
  models: readonly StrictModel[];
}

/** Makes the tools `helper`, which is one agent, and `expert`, whose input chooses one of those in `staff`. */
export function delegates(
  script: readonly Reply[],
  tools: readonly Tool<unknown>[],
  byTurn: (replies: readonly Reply[]) => Rules,
  staff: ReadonlySet<string>,
): Delegates {
  const pricing = { input: 1, output: 5, cacheRead: 0.1, cacheWrite5m: 1.25, cacheWrite1h: 2 };
  const made = (name: string) => {
    const model = strictModel({ rules: byTurn(script), pricing });
    return { model, agent: agent({ name, model, instructions: "You help.", tools }) };
  };
  const helper = made("helper");
  const all = new Map(EXPERTS.map((name) => [name as string, made(name)]));
  return {
    models: [helper, ...all.values()].map(({ model }) => model),
    tools: [
      agentTool({ agent: helper.agent, description: "Helps.", limits: { turns: 4 } }),
      agentTool({
        name: "expert",
        description: "Asks an expert.",
        input: z.object({ expert: z.string(), task: z.string() }),
        message: ({ task }) => task,
        limits: { turns: EXPERT_TURNS },
        agents: async ({ expert }, { caller }): Promise<Agent | undefined> => {
          if (expert === "vault" && !String(caller.roles).includes("admin")) return undefined;
          // The clerk does the work of a finder that has left.
          const who = expert === "finder" && !staff.has(expert) ? "clerk" : expert;
          return staff.has(who) ? all.get(who)?.agent : undefined;
        },
      }),
    ],
  };
}
