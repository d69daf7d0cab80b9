import { eventCheck } from "./check-event.ts";
import { cutStream } from "./failure.ts";
import type { ModelEvent } from "./model-client.ts";

/**
 * Makes a check for wrappers, which retry what it throws: of the shape of each event, and at `message_stop`
 * that the answer has a stop reason. An answer without one is incomplete.
 */
export function answerCheck(): (event: ModelEvent) => void {
  const check = eventCheck();
  let hasReason = false;
  return (event) => {
    check(event);
    if (event.type === "message_delta") hasReason ||= event.delta.stop_reason != null;
    if (event.type === "attempt_failed") hasReason = false;
    if (event.type === "message_stop" && !hasReason) throw cutStream();
  };
}
