import { claude, pricingOf } from "@pawl/anthropic";
import type { ModelClient } from "@pawl/core";
import { coachRules } from "@pawl/example-coach";
import { DEFAULT_MODEL, trainerModels, trainerRules } from "@pawl/example-trainer";
import { openai } from "@pawl/openai";
import { messagesApi, type Rules } from "@pawl/testing";
import type { Config } from "./config.ts";

/** What the page says about the model. */
export interface ModelInfo {
  model: string;
  simulated: boolean;
}

/** The models of all agents. */
export interface AgentModels {
  coach: ModelClient;
  /** Answers while the coach's model keeps failing. */
  coachFallback?: ModelClient;
  /** The first one answers where a request asks for none. */
  trainer: readonly [ModelClient, ...ModelClient[]];
  /** Answers while the trainer's model keeps failing. */
  trainerFallback?: ModelClient;
  /** Chooses the trainer's data. */
  chooser: ModelClient;
  info: ModelInfo;
  close(): Promise<void>;
}

/**
 * Answer where the others fail. The trainer's, as all that it is put behind, can be forced to call a tool.
 */
const FALLBACKS = {
  coach: ["claude-haiku-5-5", "claude-sonnet-5-5"],
  trainer: ["claude-sonnet-4-5", "claude-haiku-4-5"],
} as const;

/** Small and fast: it answers before the trainer begins. */
const CHOOSER = { openai: "gpt-4o-mini", claude: "claude-haiku-5-5" } as const;

/**
 * Claude, or without a key a simulator of its API on a port of its own. Only the base URL differs: what works
 * with the one takes the same way through the code with the other. With a key for OpenAI the trainer's data
 * are chosen there.
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
  /** None for a model of another server's, which may know none of Claude's. */
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
 * One simulator for all: who is asked shows in the tools. Without any, the coach's conversation is
 * summarised.
 */
const rules: Rules = (request, context) => {
  const names = (request.tools ?? []).map(({ name }) => name);
  const coach = names.length === 0 || names.includes("save_file") || names.includes("record");
  return (coach ? coaching : training)(request, context);
};

/** Models from 4.6 on decide themselves when to think. */
function thinksByItself(modelId: string): boolean {
  return /^claude-[a-z]+-(4-[6-9]|[5-9])(-|$)/.test(modelId);
}
