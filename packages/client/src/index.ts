export { type AgentClient, type AgentClientOptions, createAgentClient } from "./agent-client.ts";
export type { AgentFailure, AgentState, Connection, Phase } from "./agent-state.ts";
export {
  type AnswerableQuestion,
  type AnyQuestions,
  type AskedByKind,
  answerable,
  askedByKind,
  type QuestionTypes,
} from "./questions.ts";
export type { SendOptions } from "./submit.ts";
export { until } from "./until.ts";
export type { HeaderSource, WireOptions } from "./wire.ts";
