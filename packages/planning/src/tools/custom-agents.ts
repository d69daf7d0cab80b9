import { agentTool, jsonSchema, type Tool, tool } from "@pawl/core";
import { relevanceOf } from "../base/relevance.ts";
import { RUN_AGENT } from "../base/run-agent.ts";
import type { AgentsSource, CustomAgent } from "./custom-agent.ts";
import type { CustomAgentWork } from "./work.ts";

/** The name of the tool that lists custom agents. */
export const LIST_AGENTS = "list_custom_agents";

/** Lists agents, the most relevant first. `confidence` is the relevance, from 0 to 1 for the best agent. */
export function listTool<Deps>(work: CustomAgentWork<Deps>): Tool<Deps> {
  return tool({
    name: LIST_AGENTS,
    description: "Lists the custom agents that can be run with run_custom_agent, the most relevant first.",
    input: jsonSchema<{ query?: string }>({
      type: "object",
      properties: { query: { type: "string", description: "What the agent should be able to do." } },
      additionalProperties: false,
    }),
    idempotent: true,
    repeatable: true,
    execute: async ({ query = "" }, context) => {
      const agents = await work.list(context as AgentsSource<Deps>);
      if ("error" in agents) return { status: "error", agents: [], error: agents.error };
      return { status: "ok", agents: rankedAgents(agents.agents, query) };
    },
  }) as Tool<Deps>;
}

/** Returns the agents as models read them, the most relevant first. */
export function rankedAgents<Deps>(
  agents: readonly CustomAgent<Deps>[],
  query: string,
): { id: string; name: string; description: string; domains: string[]; confidence: number }[] {
  const texts = agents.map(({ name, description, domains = [] }) => ({
    name: `${name} ${domains.join(" ")}`,
    text: description,
  }));
  const scores = relevanceOf(query, texts).map(({ score }) => score);
  const best = Math.max(...scores, 0);
  return agents
    .map(({ id, name, description, domains = [] }, at) => {
      const confidence = best === 0 ? 0 : Math.round((100 * (scores[at] ?? 0)) / best) / 100;
      return { id, name, description, domains: [...domains], confidence };
    })
    .sort((a, b) => b.confidence - a.confidence);
}

/** Runs the custom agent that the call names. */
export function runTool<Deps>({ agents, agentLimits }: CustomAgentWork<Deps>): Tool<Deps> {
  return agentTool({
    name: RUN_AGENT,
    description:
      "Gives a task to a custom agent and returns its answer. The agent sees only `query` and `context`. list_custom_agents has the ids.",
    input: jsonSchema<{ agent_id: string; query: string; context?: string }>({
      type: "object",
      properties: {
        agent_id: { type: "string" },
        query: { type: "string", description: "The task." },
        context: { type: "string", description: "What the agent needs to know." },
      },
      required: ["agent_id", "query"],
      additionalProperties: false,
    }),
    message: ({ query, context }) => (context === undefined ? query : `${query}\n\n${context}`),
    agents: async ({ agent_id }, source) => {
      const listed = await agents?.(source as AgentsSource<Deps>);
      return listed?.find(({ id }) => id === agent_id)?.agent;
    },
    ...(agentLimits !== undefined && { limits: agentLimits }),
  }) as Tool<Deps>;
}
