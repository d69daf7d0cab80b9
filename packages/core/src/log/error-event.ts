import { withoutKeys } from "../base/without-keys.ts";
import type { EventData, NewEvent } from "./event.ts";

/** An error as the leg reports it. */
export type ErrorReport = Omit<EventData["error"], "stack">;

/**
 * Returns an `error` event. Leaves out the stack and anything that looks like a key, because logs are often
 * passed on.
 */
export function errorEvent(error: ErrorReport): Extract<NewEvent, { type: "error" }> {
  return { type: "error", data: { ...error, message: withoutKeys(error.message), stack: null } };
}
