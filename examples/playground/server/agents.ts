import type { Hook } from "@pawl/core";
import type { Reservations } from "@pawl/core/store";
import { coach } from "@pawl/example-coach";
import { trainer } from "@pawl/example-trainer";
import type { AgentModels } from "./models.ts";

export interface AgentParts {
  /** Where the daily budget of each user is kept. */
  reservations: Reservations;
  hooks: readonly Hook[];
}

/** The coach and the trainer, on their models and with a daily budget for each user. */
export function exampleAgents(models: AgentModels, parts: AgentParts) {
  const { coachFallback, trainerFallback } = models;
  return {
    coach: coach({ ...parts, model: models.coach, ...(coachFallback && { fallback: coachFallback }) }),
    trainer: trainer({
      ...parts,
      models: models.trainer,
      ...(trainerFallback && { fallback: trainerFallback }),
      initializer: models.chooser,
    }),
  };
}
