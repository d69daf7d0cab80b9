export type { AgentDraft } from "./agent-draft.ts";
export { type AgentError, type AgentOutcome, type AgentStore, agentStore } from "./agent-store.ts";
