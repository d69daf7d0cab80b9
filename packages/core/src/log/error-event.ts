import { withoutKeys } from "../base/without-keys.ts";
import type { EventData, NewEvent } from "./event.ts";

/** An error as the leg reports it. */
export type ErrorReport = Omit<EventData["error"], "stack">;

/**
 * An `error` event. Stacks and anything that looks like a key are never stored: logs travel further than they
 * should.
 */
export function errorEvent(error: ErrorReport): Extract<NewEvent, { type: "error" }> {
  return { type: "error", data: { ...error, message: withoutKeys(error.message), stack: null } };
}
