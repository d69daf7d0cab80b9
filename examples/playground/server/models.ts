import { claude, pricingOf } from "@pawl/anthropic";
import type { ModelClient } from "@pawl/core";
import { coachRules } from "@pawl/example-coach";
import { DEFAULT_MODEL, trainerModels, trainerRules } from "@pawl/example-trainer";
import { openai } from "@pawl/openai";
import { messagesApi, type Rules } from "@pawl/testing";
import type { Config } from "./config.ts";

/** What the page shows about the model. */
export interface ModelInfo {
  model: string;
  simulated: boolean;
}

/** The models of all agents. */
export interface AgentModels {
  coach: ModelClient;
  /** Answers while the coach's model keeps failing. */
  coachFallback?: ModelClient;
  /** The first one answers requests that choose no model. */
  trainer: readonly [ModelClient, ...ModelClient[]];
  /** Answers while the trainer's model keeps failing. */
  trainerFallback?: ModelClient;
  /** Chooses the trainer's data. */
  chooser: ModelClient;
  info: ModelInfo;
  close(): Promise<void>;
}

/** Fallback models. The trainer's ones, like all models they replace, can be forced to call a tool. */
const FALLBACKS = {
  coach: ["claude-haiku-5-5", "claude-sonnet-5-5"],
  trainer: ["claude-sonnet-4-5", "claude-haiku-4-5"],
} as const;

/** Small and fast models, because they answer before the trainer begins. */
const CHOOSER = { openai: "gpt-4o-mini", claude: "claude-haiku-5-5" } as const;

/**
 * Creates the models: Claude, or without a key a simulator of its API on its own port. Both use the same code
 * and differ only in the base URL. With a key for OpenAI, a model from OpenAI chooses the trainer's data.
 */
export async function agentModels(config: Config): Promise<AgentModels> {
  const { modelId, trainerModel = DEFAULT_MODEL, apiKey, openaiKey, baseURL } = config;
  const simulated = apiKey === undefined;
  const own = simulated && baseURL === undefined ? await messagesApi({ rules }) : undefined;
  const url = baseURL ?? own?.url;
  const model = (id: string): ModelClient =>
    claude(id, {
      apiKey: apiKey ?? "simulator",
      ...(url !== undefined && { baseURL: url }),
    });
  /** Returns `undefined` if the primary model is not one of Claude's: its server may not have them. */
  const fallback = (primary: string, ids: readonly string[]): ModelClient | undefined => {
    const other = pricingOf(primary) === undefined ? undefined : ids.find((id) => id !== primary);
    return other === undefined ? undefined : model(other);
  };
  const coachFallback = fallback(modelId, FALLBACKS.coach);
  const trainerFallback = fallback(trainerModel, FALLBACKS.trainer);
  const others = trainerModels.filter((id) => id !== trainerModel);
  return {
    coach: claude(modelId, {
      apiKey: apiKey ?? "simulator",
      ...(url !== undefined && { baseURL: url }),
      ...(thinksByItself(modelId) && { thinking: { type: "adaptive", display: "summarized" } }),
    }),
    ...(coachFallback && { coachFallback }),
    ...(trainerFallback && { trainerFallback }),
    trainer: [model(trainerModel), ...others.map(model)],
    chooser: openaiKey === undefined ? model(CHOOSER.claude) : openai(CHOOSER.openai, { apiKey: openaiKey }),
    info: { model: modelId, simulated },
    close: async () => await own?.close(),
  };
}

const coaching = coachRules();
const training = trainerRules();

/**
 * Simulates all agents. The tools of a request say which agent it is for; without tools it asks for a summary
 * of the coach's conversation.
 */
const rules: Rules = (request, context) => {
  const names = (request.tools ?? []).map(({ name }) => name);
  const coach = names.length === 0 || names.includes("save_file") || names.includes("record");
  return (coach ? coaching : training)(request, context);
};

/** Checks whether a model decides itself when to think: those from 4.6 on do. */
function thinksByItself(modelId: string): boolean {
  return /^claude-[a-z]+-(4-[6-9]|[5-9])(-|$)/.test(modelId);
}
