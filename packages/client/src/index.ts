// The entry `@pawl/client`: the client for any page, without a framework.

// The client

export {
  type AgentClient,
  type AgentClientOptions,
  createAgentClient,
  type TypedState,
} from "./client/agent-client.ts";
export type { UploadOptions } from "./client/checked-files.ts";
export type { PageTool, PageTools } from "./client/page-tools.ts";
export { sessionInUrl } from "./client/session-in-url.ts";
export type { SendOptions } from "./client/submit.ts";
export { until } from "./client/until.ts";
export type { ListedSession } from "./wire/library.ts";
export type { HeaderSource, WireOptions } from "./wire/request.ts";

// The state of a conversation

export type {
  AgentFailure,
  AgentState,
  Connection,
  PartialOutput,
  Phase,
  ShownOutput,
} from "./state/agent-state.ts";

// Questions to the user

export type {
  AnswerOf,
  AnyQuestions,
  KnownQuestion,
  QuestionOf,
  QuestionsOf,
  QuestionTypes,
} from "./client/question-types.ts";
export {
  type AnswerableQuestion,
  type AskedByKind,
  answerable,
  askedByKind,
  type PendingOf,
} from "./client/questions.ts";

// Types of the agent's tools

export type {
  AnyTools,
  CallFields,
  DoneToolPart,
  OpenToolPart,
  ToolTypes,
  TypedMessage,
  TypedPart,
  TypedToolPart,
} from "./client/tool-types.ts";
