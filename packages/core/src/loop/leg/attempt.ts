import type { EventData } from "../../log/event-data.ts";
import type { Pricing } from "../../model/pricing.ts";
import type { Reply } from "../../model/reply.ts";

/** One attempt at an answer: the request, and the part of the answer that has arrived. */
export interface Attempt {
  /** `seq` of the attempt's `llm_request` event. */
  seq: number;
  request: EventData["llm_request"];
  pricing: Pricing | undefined;
  /** The agent's `estimateTokens`. */
  estimateTokens(chars: number): number;
  /** The time at which the request was sent, in milliseconds since 1970. */
  startedAt: number;
  /** Whether the request has an output format, so that the text of the answer is the run's output. */
  asText: boolean;
  answer: Reply;
}
