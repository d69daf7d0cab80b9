export type { ApiError } from "./api-error.ts";
export type { ContractCase } from "./contract/case.ts";
export { eventStoreContract, type StoreUnderTest } from "./event-store-contract.ts";
export { type FilesUnderTest, fileStoreContract } from "./file-store-contract.ts";
export type { HttpApi, HttpApiOptions } from "./http-api.ts";
export { type MessagesApi, type MessagesApiOptions, messagesApi } from "./messages-api.ts";
export { currentModels, limitsOf, type ModelLimits, type ThinkingMode } from "./model-limits.ts";
export type { ChatMessage, ChatRequest } from "./openai/chat-request.ts";
export type { ChatRules, ChatSimulatorOptions } from "./openai/chat-simulator.ts";
export { type OpenAIApiOptions, openaiApi } from "./openai/openai-api.ts";
export { validateChatRequest } from "./openai/validate-chat.ts";
export { estimateTokens } from "./prompt-cache.ts";
export type { Fault, Reply, ReplyTool } from "./reply.ts";
export { type ReservationsUnderTest, reservationsContract } from "./reservations-contract.ts";
export type { RuleContext } from "./rules.ts";
export {
  type Script,
  type ScriptedModel,
  type ScriptedModelOptions,
  scriptedModel,
} from "./scripted-model.ts";
export type { RecordedRequest } from "./serve-request.ts";
export type { Rules, SimulatorOptions } from "./simulator.ts";
export { type StrictModel, type StrictModelOptions, strictModel } from "./strict-model.ts";
export { type TestClock, testClock } from "./test-clock.ts";
export type { LegacyRules } from "./validate/roles.ts";
export { type ValidateOptions, validateMessagesRequest } from "./validate/validate.ts";
export type { Rejection } from "./wire.ts";
export type { ParsedRequest, WireMessage } from "./wire-request.ts";
