// The entry `@pawl/testing`: models without a network, simulators of two APIs, and contract suites.

// Scripted models, in process

export type { Fault, Reply, ReplyTool } from "./base/reply.ts";
export type { RuleContext } from "./base/rules.ts";
export {
  type Script,
  type ScriptedModel,
  type ScriptedModelOptions,
  scriptedModel,
} from "./models/scripted-model.ts";
export { type StrictModel, type StrictModelOptions, strictModel } from "./models/strict-model.ts";

// Simulators over HTTP

export type { HttpApi, HttpApiOptions } from "./http/http-api.ts";
export type { RecordedRequest } from "./http/serve-request.ts";
export { type MessagesApi, type MessagesApiOptions, messagesApi } from "./messages/messages-api.ts";
export type { Rules, SimulatorOptions } from "./messages/simulator.ts";
export type { ChatRules, ChatSimulatorOptions } from "./openai/chat-simulator.ts";
export { type OpenAIApiOptions, openaiApi } from "./openai/openai-api.ts";

// Validation of requests

export type { ApiError } from "./base/api-error.ts";
export { currentModels, limitsOf, type ModelLimits, type ThinkingMode } from "./base/model-limits.ts";
export type { Rejection } from "./base/wire.ts";
export type { ParsedRequest, WireMessage } from "./base/wire-request.ts";
export { estimateTokens } from "./messages/state/prompt-cache.ts";
export type { LegacyRules } from "./messages/validate/roles.ts";
export { type ValidateOptions, validateMessagesRequest } from "./messages/validate/validate.ts";
export type { ChatMessage, ChatRequest } from "./openai/chat-request.ts";
export { validateChatRequest } from "./openai/validate-chat.ts";

// Contract suites

export type { ContractCase } from "./contract/base/case.ts";
export { type EngineUnderTest, engineContract } from "./contract/engine/engine-contract.ts";
export { type FilesUnderTest, fileStoreContract } from "./contract/files/file-store-contract.ts";
export {
  type ReservationsUnderTest,
  reservationsContract,
} from "./contract/reservations/reservations-contract.ts";
export { eventStoreContract, type StoreUnderTest } from "./contract/store/event-store-contract.ts";

// Time

export { type TestClock, testClock } from "./base/test-clock.ts";
