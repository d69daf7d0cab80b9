export { type Capabilities, isForSearchAgent } from "./capability-gate.ts";
export type { Connector } from "./connectors.ts";
export { type CustomAgentStore, customAgentList } from "./custom-agents.ts";
export { SEARCH_AGENT, type SearchAgentOptions, searchAgent } from "./search-agent.ts";
