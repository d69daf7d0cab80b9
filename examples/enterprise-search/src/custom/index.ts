export type { AgentDraft } from "./agent-draft.ts";
export {
  type AgentError,
  type AgentOutcome,
  type AgentStore,
  agentStore,
  agentsOfPeople,
} from "./agent-store.ts";
