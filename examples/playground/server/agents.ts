import { type Hook, reservation } from "@pawl/core";
import type { Reservations } from "@pawl/core/store";
import { coach, modelSummary } from "@pawl/example-coach";
import { COMPANY_NOW, type CustomAgentStore, searchAgent } from "@pawl/example-enterprise-search";
import { trainer } from "@pawl/example-trainer";
import type { AgentModels } from "./models.ts";
import { browserOf } from "./search-people.ts";

export interface AgentParts {
  /** Keeps the daily budget of each user. */
  reservations: Reservations;
  /** The agents that the search agent may run. */
  searchAgents: CustomAgentStore;
  hooks: readonly Hook[];
}

/** How many tokens a user's searches may use in one day, and how many each run reserves before it begins. */
const SEARCH_TOKENS = { day: 4_000_000, run: 400_000 } as const;

/** Creates the agents that share a runtime, with their models and a daily budget for each user. */
export function exampleAgents(models: AgentModels, parts: AgentParts) {
  const { searchAgents, ...shared } = parts;
  const { coachFallback, trainerFallback } = models;
  return {
    coach: coach({
      ...shared,
      model: models.coach,
      ...(coachFallback && { fallback: coachFallback }),
      summarize: modelSummary(models.coachSummaries),
    }),
    trainer: trainer({
      ...shared,
      models: models.trainer,
      ...(trainerFallback && { fallback: trainerFallback }),
      initializer: models.chooser,
    }),
    search: searchAgent({
      model: models.search,
      planner: models.searchPlanner,
      agents: searchAgents,
      hooks: [...shared.hooks, searchBudget(shared.reservations)],
      now: () => COMPANY_NOW,
    }),
  };
}

/** Gives all searches of a user one budget per day (UTC), whomever the user searches as. */
function searchBudget(reservations: Reservations): Hook {
  return reservation({
    name: "daily-budget",
    reservations,
    account: ({ userId }) => `search/${browserOf(userId)}/${new Date().toISOString().slice(0, 10)}`,
    limit: SEARCH_TOKENS.day,
    amount: SEARCH_TOKENS.run,
    message: "That is all for today. Your searches are safe, and we can continue tomorrow.",
  });
}
