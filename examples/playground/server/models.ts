import { claude } from "@pawl/anthropic";
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
  /** The first one answers where a request asks for none. */
  trainer: readonly [ModelClient, ...ModelClient[]];
  /** Chooses the trainer's data. */
  chooser: ModelClient;
  info: ModelInfo;
  close(): Promise<void>;
}

/** Small and fast: it answers before the trainer begins. */
const CHOOSER = { openai: "gpt-4o-mini", claude: "claude-haiku-5-5" } as const;

/**
 * Claude, or without a key a simulator of its API on a port of its own. Only the base URL differs: what works with the
 * one takes the same way through the code with the other. With a key for OpenAI the trainer's data are chosen there.
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
  const others = trainerModels.filter((id) => id !== trainerModel);
  return {
    coach: claude(modelId, {
      apiKey: apiKey ?? "simulator",
      ...(url !== undefined && { baseURL: url }),
      ...(thinksByItself(modelId) && { thinking: { type: "adaptive", display: "summarized" } }),
    }),
    trainer: [model(trainerModel), ...others.map(model)],
    chooser: openaiKey === undefined ? model(CHOOSER.claude) : openai(CHOOSER.openai, { apiKey: openaiKey }),
    info: { model: modelId, simulated },
    close: async () => await own?.close(),
  };
}

const coaching = coachRules();
const training = trainerRules();

/** One simulator for all: who is asked shows in the tools. */
const rules: Rules = (request, context) => {
  const coach = (request.tools ?? []).some(({ name }) => name === "save_file" || name === "record");
  return (coach ? coaching : training)(request, context);
};

/** Models from 4.6 on decide themselves when to think. */
function thinksByItself(modelId: string): boolean {
  return /^claude-[a-z]+-(4-[6-9]|[5-9])(-|$)/.test(modelId);
}
