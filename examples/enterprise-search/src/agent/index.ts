export { type CustomAgentStore, customAgentList, type StoredAgent } from "./custom-agents.ts";
export { SEARCH_AGENT, type SearchAgentOptions, searchAgent } from "./search-agent.ts";
