import type { RunStop, UserMessage } from "../../hooks/turn-plan.ts";
import type { EventData } from "../../log/event-data.ts";
import type { StopReason } from "../../log/stop-reason.ts";
import type { AttemptFailed, ModelEvent } from "../../model/model-client.ts";
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
  /** The answer, as far as readers may see it and later requests may contain it. */
  answer: Reply;
  /** Judges the answer before it gets into `answer`; `undefined` if no hook does. */
  gate?: AnswerGate | undefined;
}

/** Lets the hooks judge an answer before readers see it. */
export interface AnswerGate {
  /** All that the model has sent. */
  readonly received: Reply;
  /** Why a hook has refused the answer. */
  readonly refused: RunStop | undefined;
  /** Takes an event of the model. Adds to the attempt's answer what the hooks let through. */
  take(event: ModelEvent): Promise<void> | undefined;
  /** Waits until the answer as a whole may be shown. Rejects if it may not. */
  end(): Promise<void>;
  /** Makes the gate of the next attempt at this answer. What was judged of the messages holds for it, too. */
  next(attempt: Attempt): AnswerGate;
}

/** The work on attempts that fail, and on messages and answers that hooks judge. */
export interface AttemptParts<Leg> {
  /**
   * Logs a failed attempt that the model client retries. Resolves to the next attempt; `undefined` if the run
   * now waits for a time.
   */
  nextAttempt(
    leg: Leg,
    failed: Attempt,
    event: AttemptFailed,
    failedAttempts: number,
  ): Promise<Attempt | undefined>;

  /** Makes the gate through which an answer reaches readers and the log. */
  answerGate(leg: Leg, attempt: Attempt): AnswerGate;
  /** Stores what is left of an answer that a hook has refused. Resolves to the reason why the run ends. */
  storeRefused(leg: Leg, attempt: Attempt, refused: NonNullable<AnswerGate["refused"]>): Promise<StopReason>;
  /** Returns the user's messages that no answer follows yet. */
  newMessages(leg: Leg): Promise<UserMessage[]>;
  /** Hides these messages from later requests. The log then says why the run ends. */
  hideMessages(leg: Leg, stop: StopReason, hide: RunStop["hide"]): Promise<void>;
}
