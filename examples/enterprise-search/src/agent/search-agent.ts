import { type Agent, agent, checkOptions, type Hook, type ModelClient, type OptionKinds } from "@pawl/core";
import { type PlanningOptions, planning } from "@pawl/planning";
import { guidance, instructions } from "../prompt/instructions.ts";
import { toolDocs } from "../prompt/tool-docs.ts";
import { type SearchDeps, searchTools } from "../tools/index.ts";
import { capabilityGate } from "./capability-gate.ts";
import { peopleChoices } from "./choices.ts";
import { type Connector, connectorAgents } from "./connectors.ts";
import { type CustomAgentStore, customAgentList, customAgents } from "./custom-agents.ts";
import { plannerFacts, userFacts } from "./facts.ts";
import { plainSearch } from "./retrieve.ts";

/** Options of {@link searchAgent}. */
export interface SearchAgentOptions {
  /** The model that searches and answers. */
  model: ModelClient;
  /** The model that plans and reviews, e.g. a small one. Default: `model`. */
  planner?: ModelClient;
  /** The agents that users have made, and public ones: {@link agentStore}. Default: none. */
  agents?: CustomAgentStore;
  /** MCP servers, each as an agent `mcp::<name>`, run like a custom agent. Default: none. */
  connectors?: readonly Connector[];
  /** The most answers of the model in one run. Default: 10. */
  turns?: number;
  /** More hooks, e.g. a budget. They run before the planner. */
  hooks?: readonly Hook[];
  /** Returns the present, in milliseconds since 1970. Default: the clock. */
  now?: () => number;
  /** Called with each error of the planning. The run continues. Default: the error is printed. */
  onError?: PlanningOptions["onError"];
}

const MODEL = {
  mustBe: 'a ModelClient, e.g. claude("claude-sonnet-5-5")',
  is: (value: unknown) => typeof Object(value).stream === "function",
};
const OPTIONS: OptionKinds<SearchAgentOptions> = {
  ...{ model: { ...MODEL, required: true }, planner: MODEL, agents: "object", connectors: "list" },
  ...{ turns: "number", hooks: "list", now: "function", onError: "function" },
};

/** The name of the agent. */
export const SEARCH_AGENT = "enterprise-search";

/**
 * Creates the agent that answers questions about the company. It plans, asks which person is meant, searches,
 * reviews what it has found, and cites documents by their ids.
 *
 * A run needs `deps` with the search, and a `caller` of `{ workspaceId, email }`. The search sees what the
 * caller may see; so do custom agents.
 *
 * @throws PawlError `config` for unknown, missing and invalid options.
 *
 * @example
 * ```ts
 * import { searchAgent } from "@pawl/example-enterprise-search";
 * import { scriptedModel } from "@pawl/testing";
 *
 * const searcher = searchAgent({ model: scriptedModel([{ text: "Hello." }]) });
 * console.log(searcher.name, searcher.tools.size); // enterprise-search 9
 * ```
 */
export function searchAgent(options: SearchAgentOptions): Agent<SearchDeps, typeof SEARCH_AGENT> {
  checkOptions("searchAgent()", options, OPTIONS);
  const { model, planner = model, agents = customAgentList([]), connectors = [] } = options;
  const { turns = 10, hooks = [], now = Date.now, onError } = options;
  const [ofUsers, ofServers] = [customAgents(agents, model), connectorAgents(connectors, model)];
  const { hook, tools } = planning<SearchDeps>({
    model: planner,
    guidance,
    facts: (source) => plannerFacts(source, now),
    choices: peopleChoices,
    agents: async (source) => [...(await ofUsers(source)), ...ofServers(source)],
    docs: { docs: toolDocs, most: 6 },
    fallback: { retrieve: plainSearch },
    ...(onError && { onError }),
  });
  return agent<SearchDeps, typeof SEARCH_AGENT>({
    name: SEARCH_AGENT,
    model,
    instructions,
    tools: [...searchTools, ...tools],
    hooks: [capabilityGate, ...hooks, hook],
    userData: { read: (source) => userFacts(source, now), per: "run" },
    resultTag: "result",
    // If a source is down, three turns in a row fail before its tool is refused. The run must outlive them.
    limits: { turns, errorTurns: 5 },
    onLimit: "land",
    whenBusy: "queue",
  });
}
