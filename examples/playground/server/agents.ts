import type { Hook } from "@pawl/core";
import type { Reservations } from "@pawl/core/store";
import { coach, modelSummary } from "@pawl/example-coach";
import { trainer } from "@pawl/example-trainer";
import type { AgentModels } from "./models.ts";

export interface AgentParts {
  /** Keeps the daily budget of each user. */
  reservations: Reservations;
  hooks: readonly Hook[];
}

/** Creates the coach and the trainer with their models and a daily budget for each user. */
export function exampleAgents(models: AgentModels, parts: AgentParts) {
  const { coachFallback, trainerFallback } = models;
  return {
    coach: coach({
      ...parts,
      model: models.coach,
      ...(coachFallback && { fallback: coachFallback }),
      summarize: modelSummary(models.coachSummaries),
    }),
    trainer: trainer({
      ...parts,
      models: models.trainer,
      ...(trainerFallback && { fallback: trainerFallback }),
      initializer: models.chooser,
    }),
  };
}
