import { eventCheck } from "./check-event.ts";
import { cutStream } from "./failure.ts";
import type { ModelEvent } from "./model-client.ts";

/**
 * Makes a function that checks the events of one answer, for wrappers such as `withRetry`. Call it with each
 * event, in order. It throws a retryable `model_error` if an event is malformed, or if the answer ends
 * without a stop reason, because then it is incomplete.
 */
export function answerCheck(): (event: ModelEvent) => void {
  const checkEvent = eventCheck();
  let hasStopReason = false;
  return (event) => {
    checkEvent(event);
    if (event.type === "message_delta") hasStopReason ||= event.delta.stop_reason != null;
    // The next attempt sends a new answer.
    if (event.type === "attempt_failed") hasStopReason = false;
    if (event.type === "message_stop" && !hasStopReason) throw cutStream();
  };
}
