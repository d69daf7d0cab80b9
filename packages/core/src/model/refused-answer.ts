import { type ModelFailure, PawlError } from "../base/errors.ts";
import type { ModelEvent } from "./model-client.ts";

/** The answer that had begun when a filter blocked it. */
export interface BlockedAnswer {
  /** Whether `message_start` was sent. */
  begun: boolean;
  /** An id for the answer, if none has begun. */
  id: string;
  /** Id of the model. */
  model: string;
}

/** The `details.errorCode` of a request that a filter of its server has blocked. */
const BLOCKED = "content_filter";

/**
 * Returns the rest of an answer that a filter has blocked: it stops with the reason `refusal`, as if the
 * model had refused. So the outcome is the same whichever way a server reports it. Returns `undefined` for
 * all other failures. The usage is unknown, so the runtime estimates it: servers charge for the prompt.
 *
 * @example
 * ```ts
 * import { PawlError } from "@pawl/core";
 * import { refusedAnswer } from "@pawl/core/model";
 *
 * const details = { errorCode: "content_filter", retryable: false };
 * const failure = new PawlError("model_error", "The response was filtered.", { details });
 * const events = refusedAnswer(failure, { begun: true, id: "1", model: "gpt-5.4" });
 * console.log(events?.map(({ type }) => type)); // [ 'message_delta', 'message_stop' ]
 * ```
 */
export function refusedAnswer(error: unknown, { begun, id, model }: BlockedAnswer): ModelEvent[] | undefined {
  const failure = PawlError.is(error, "model_error") ? (error.details as unknown as ModelFailure) : undefined;
  if (failure?.errorCode !== BLOCKED) return undefined;
  const explanation = (error as Error).message;
  return [
    ...(begun ? [] : [{ type: "message_start" as const, message: { id, model } }]),
    {
      type: "message_delta",
      delta: { stop_reason: "refusal", stop_details: { type: "refusal", explanation } },
    },
    { type: "message_stop" },
  ];
}
