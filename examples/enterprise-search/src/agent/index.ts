export { type CustomAgentStore, customAgentList } from "./custom-agents.ts";
export { SEARCH_AGENT, type SearchAgentOptions, searchAgent } from "./search-agent.ts";
