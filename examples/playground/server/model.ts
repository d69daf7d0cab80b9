import { claude } from "@pawl/anthropic";
import type { ModelClient } from "@pawl/core";
import { coachRules } from "@pawl/example-coach";
import { messagesApi } from "@pawl/testing";
import type { Config } from "./config.ts";

/** What the page says about the model. */
export interface ModelInfo {
  model: string;
  simulated: boolean;
}

export interface CoachModel {
  client: ModelClient;
  info: ModelInfo;
  close(): Promise<void>;
}

/**
 * Claude, or without a key a simulator of its API on a port of its own. Only the base URL differs: what works with the
 * one takes the same way through the code with the other.
 */
export async function coachModel({ modelId, apiKey, baseURL }: Config): Promise<CoachModel> {
  const simulated = apiKey === undefined;
  const own = simulated && baseURL === undefined ? await messagesApi({ rules: coachRules() }) : undefined;
  const url = baseURL ?? own?.url;
  const client = claude(modelId, {
    apiKey: apiKey ?? "simulator",
    ...(url !== undefined && { baseURL: url }),
    ...(thinksByItself(modelId) && { thinking: { type: "adaptive", display: "summarized" } }),
  });
  return { client, info: { model: modelId, simulated }, close: async () => await own?.close() };
}

/** Models from 4.6 on decide themselves when to think. */
function thinksByItself(modelId: string): boolean {
  return /^claude-[a-z]+-(4-[6-9]|[5-9])(-|$)/.test(modelId);
}
