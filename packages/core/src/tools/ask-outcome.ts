import type { EventData } from "../log/event-data.ts";
import type { Usage } from "../model/pricing.ts";
import type { AskOutcome } from "./ask-types.ts";

/** The model's answer as it is stored: `output` is the value before the schema's transforms. */
export type StoredAnswer = NonNullable<EventData["spending"]["answer"]>;

/**
 * Usage and cost of all requests of one `askModel()` call. `model` is the id of the model that answered last.
 */
export interface AskSpent {
  model: string;
  usage: Usage;
  costUsd: number;
}

/**
 * Returns the result of an `askModel()` call. `replayed` is true for an answer that was read from the log.
 */
export function askOutcome(
  answer: StoredAnswer,
  { model, usage, costUsd }: AskSpent,
  output: unknown,
  replayed: boolean,
): AskOutcome<unknown> {
  return { text: answer.text, output, stopReason: answer.stop_reason, model, usage, costUsd, replayed };
}
