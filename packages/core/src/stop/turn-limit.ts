import type { StopCondition } from "./stop-condition.ts";

/** Ends a run after `limit` turns (answers of the model), over all its legs. */
export function turnLimit(limit: number): StopCondition {
  return (run) =>
    run.turns >= limit
      ? {
          type: "turn_limit",
          message: `I stopped here: the limit of ${limit} steps for one request is reached.`,
        }
      : undefined;
}
