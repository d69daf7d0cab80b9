import type { Dialect } from "./base/dialect.ts";
import { azureDialect } from "./chat/azure.ts";
import { deepseekDialect } from "./chat/deepseek.ts";
import { geminiDialect } from "./chat/gemini.ts";
import { groqDialect } from "./chat/groq.ts";
import { litellmDialect } from "./chat/litellm.ts";
import { llamaCppDialect } from "./chat/llama-cpp.ts";
import { mistralDialect } from "./chat/mistral.ts";
import { ollamaDialect } from "./chat/ollama.ts";
import { openaiDialect } from "./chat/openai.ts";
import { openrouterDialect } from "./chat/openrouter.ts";
import { otherChatDialect } from "./chat/others.ts";
import { vllmDialect } from "./chat/vllm.ts";
import { bedrockDialect } from "./messages/bedrock.ts";
import { claudeDialect } from "./messages/claude.ts";
import { gatewayDialect } from "./messages/gateways.ts";

/**
 * What servers of Chat Completions and of the Messages API send, as data: written from their documentation
 * and from reports of their users, with the source of each answer. `modelClientContract()` plays it.
 *
 * @example
 * ```ts
 * import { dialects } from "@pawl/testing/dialects";
 *
 * const mistral = dialects.find(({ name }) => name === "mistral");
 * console.log(mistral?.cases.legacyCall); // { absent: 'It answers requests with `tools` by `tool_calls`.' }
 * ```
 */
export const dialects: readonly Dialect[] = [
  openaiDialect,
  azureDialect,
  mistralDialect,
  geminiDialect,
  groqDialect,
  deepseekDialect,
  vllmDialect,
  llamaCppDialect,
  ollamaDialect,
  openrouterDialect,
  litellmDialect,
  otherChatDialect,
  claudeDialect,
  bedrockDialect,
  gatewayDialect,
];
