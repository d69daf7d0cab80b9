import { withoutKeys } from "../base/without-keys.ts";
import type { EventData, NewEvent } from "./event.ts";

/** An error to be logged. */
export type ErrorReport = Omit<EventData["error"], "stack">;

/**
 * Creates an `error` event. Leaves out the stack and anything that looks like a key, because logs are often
 * shared.
 */
export function errorEvent(error: ErrorReport): Extract<NewEvent, { type: "error" }> {
  return { type: "error", data: { ...error, message: withoutKeys(error.message), stack: null } };
}
