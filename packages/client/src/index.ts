export { type AgentClient, type AgentClientOptions, createAgentClient } from "./agent-client.ts";
export type { AgentFailure, AgentState, Connection, Phase } from "./agent-state.ts";
export type { HeaderSource, WireOptions } from "./wire.ts";
