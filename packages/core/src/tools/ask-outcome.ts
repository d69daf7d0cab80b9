import type { EventData } from "../log/event-data.ts";
import type { Usage } from "../model/pricing.ts";
import type { AskOutcome } from "./ask-types.ts";

/** The model's answer in the form of the log: `output` is the value before the schema's transforms. */
export type StoredAnswer = NonNullable<EventData["spending"]["answer"]>;

/** What all requests of one call have used. `model` answered last. */
export interface AskSpent {
  model: string;
  usage: Usage;
  costUsd: number;
}

/** Returns the outcome of an answer. */
export function askOutcome(
  answer: StoredAnswer,
  { model, usage, costUsd }: AskSpent,
  output: unknown,
  replayed: boolean,
): AskOutcome<unknown> {
  return { text: answer.text, output, stopReason: answer.stop_reason, model, usage, costUsd, replayed };
}
