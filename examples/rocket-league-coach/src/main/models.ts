import { claude } from "@pawl/anthropic";
import { type ModelClient, resilient } from "@pawl/core";
import { messagesApi } from "@pawl/testing";
import { rocketLeagueRules } from "../simulator/rules.ts";
import type { Config } from "./config.ts";

/** The model, with thinking on. */
export interface CoachModel {
  model: ModelClient;
  simulated: boolean;
  close(): Promise<void>;
}

/** How much models before version 4.6 may think in one answer, in tokens. */
const THINKING = { type: "enabled", budget_tokens: 2_048 } as const;

/**
 * Creates the model: Claude with a key, or without one a simulator of the Messages API on a port of its own.
 */
export async function coachModel({ modelId, apiKey, baseURL }: Config): Promise<CoachModel> {
  const simulated = apiKey === undefined;
  const own =
    simulated && baseURL === undefined ? await messagesApi({ rules: rocketLeagueRules() }) : undefined;
  const url = baseURL ?? own?.url;
  const model = claude(modelId, {
    apiKey: apiKey ?? "simulator",
    ...(url !== undefined && { baseURL: url }),
    thinking: choosesWhenToThink(modelId) ? { type: "adaptive", display: "summarized" } : THINKING,
  });
  return { model: resilient(model), simulated, close: async () => await own?.close() };
}

/** Returns whether a model decides on its own when to think. Claude models do so from version 4.6 on. */
function choosesWhenToThink(modelId: string): boolean {
  return /^claude-[a-z]+-(4-[6-9]|[5-9])(-|$)/.test(modelId);
}
