import { type ClaudeOptions, claude, pricingOf } from "@pawl/anthropic";
import { type ModelClient, resilient } from "@pawl/core";
import { coachRules } from "@pawl/example-coach";
import { searchRules } from "@pawl/example-enterprise-search";
import { rocketLeagueRules } from "@pawl/example-rocket-league-coach";
import { DEFAULT_MODEL, trainerModels, trainerRules } from "@pawl/example-trainer";
import { openai } from "@pawl/openai";
import { messagesApi, type Rules } from "@pawl/testing";
import type { Config } from "./config.ts";

/** The model, as the page shows it. */
export interface ModelInfo {
  model: string;
  simulated: boolean;
}

/** The models of the agents. */
export interface AgentModels {
  coach: ModelClient;
  /** The model that answers while the coach's model keeps failing. */
  coachFallback?: ModelClient;
  /** The model that writes the summaries of the coach's sessions. */
  coachSummaries: ModelClient;
  /** The models that a request may choose; the first one is the default. */
  trainer: readonly [ModelClient, ...ModelClient[]];
  /** The model that answers while the trainer's model keeps failing. */
  trainerFallback?: ModelClient;
  /** The initializer's model, which chooses the trainer's data. */
  chooser: ModelClient;
  /** The Rocket League coach's model, with thinking on. */
  rocketLeague: ModelClient;
  /** The search agent's model, with thinking on. */
  search: ModelClient;
  /** The model that plans and reviews the searches. */
  searchPlanner: ModelClient;
  info: ModelInfo;
  close(): Promise<void>;
}

/**
 * The ids of fallback models. Those of the trainer support forced tool calls, like the models that they
 * replace.
 */
const FALLBACKS = {
  coach: ["claude-haiku-5-5", "claude-sonnet-5-5"],
  trainer: ["claude-sonnet-4-5", "claude-haiku-4-5"],
} as const;

/**
 * The id of the small model that summarises the coach's sessions, and that plans searches. If the server has
 * no Claude models, the coach's own model does this.
 */
const SMALL = "claude-haiku-5-5";

/** The ids of the initializer's models. They are small and fast, because the trainer waits for them. */
const CHOOSER = { openai: "gpt-4o-mini", claude: "claude-haiku-5-5" } as const;

/**
 * Creates the models. With an Anthropic key they are Claude models; without one, a simulator of Claude's API
 * on a separate port. With an OpenAI key, the initializer uses a model of OpenAI.
 */
export async function agentModels(config: Config): Promise<AgentModels> {
  const { modelId, trainerModel = DEFAULT_MODEL, apiKey, openaiKey, baseURL } = config;
  const simulated = apiKey === undefined;
  const own = simulated && baseURL === undefined ? await messagesApi({ rules }) : undefined;
  const url = baseURL ?? own?.url;
  const model = (id: string, thinking?: ClaudeOptions["thinking"]): ModelClient =>
    claude(id, {
      apiKey: apiKey ?? "simulator",
      ...(url !== undefined && { baseURL: url }),
      ...(thinking && { thinking }),
    });
  /**
   * Creates a fallback. Returns `undefined` if the primary model is not from Claude, because its server may
   * not have Claude's models.
   */
  const fallback = (primary: string, ids: readonly string[]): ModelClient | undefined => {
    const other = pricingOf(primary) === undefined ? undefined : ids.find((id) => id !== primary);
    return other === undefined ? undefined : model(other);
  };
  const coachFallback = fallback(modelId, FALLBACKS.coach);
  const trainerFallback = fallback(trainerModel, FALLBACKS.trainer);
  const small = () => model(pricingOf(modelId) === undefined ? modelId : SMALL);
  const others = trainerModels.filter((id) => id !== trainerModel);
  return {
    coach: model(modelId, thinksByItself(modelId) ? BY_ITSELF : undefined),
    ...(coachFallback && { coachFallback }),
    coachSummaries: small(),
    ...(trainerFallback && { trainerFallback }),
    trainer: [model(trainerModel), ...others.map((id) => model(id))],
    chooser: openaiKey === undefined ? model(CHOOSER.claude) : openai(CHOOSER.openai, { apiKey: openaiKey }),
    rocketLeague: resilient(model(modelId, thinkingOf(modelId))),
    search: resilient(model(modelId, thinkingOf(modelId))),
    searchPlanner: resilient(small()),
    info: { model: modelId, simulated },
    close: async () => await own?.close(),
  };
}

const coaching = coachRules();
const training = trainerRules();
const reviewing = rocketLeagueRules();
const searching = searchRules();
/** Tools that only the search agent, its planner and its reviewer have. */
const SEARCH_TOOLS = ["open_document", "write_plan", "review"];

/**
 * Simulates all agents. A request's tools show which agent sent it. A request without tools asks for a
 * summary of the coach's conversation.
 */
const rules: Rules = (request, context) => {
  const names = (request.tools ?? []).map(({ name }) => name);
  if (names.includes("get_rank_benchmarks")) return reviewing(request, context);
  if (SEARCH_TOOLS.some((name) => names.includes(name))) return searching(request, context);
  const coach = names.length === 0 || names.includes("save_file") || names.includes("record");
  return (coach ? coaching : training)(request, context);
};

const BY_ITSELF = { type: "adaptive", display: "summarized" } as const;

/** The thinking of Claude models before version 4.6, with its limit in tokens. */
const LIMITED = { type: "enabled", budget_tokens: 2_048 } as const;

/** Returns the option that turns thinking on. Models of other servers may not have it. */
function thinkingOf(id: string): ClaudeOptions["thinking"] {
  if (thinksByItself(id)) return BY_ITSELF;
  return pricingOf(id) === undefined ? undefined : LIMITED;
}

/** Checks whether a model decides on its own when to think. Claude models do so from version 4.6 on. */
function thinksByItself(modelId: string): boolean {
  return /^claude-[a-z]+-(4-[6-9]|[5-9])(-|$)/.test(modelId);
}
