import { withoutKeys } from "../base/without-keys.ts";
import type { NewEvent } from "./event.ts";
import type { EventData } from "./event-data.ts";

/** An error to log, without the stack. */
export type ErrorReport = Omit<EventData["error"], "stack">;

/** Codes of errors that end a run. */
const ENDING: readonly string[] = [
  "model_error",
  "internal",
  "contract_violation",
  "overlong_answer",
  "unknown_stop_reason",
  "no_tool_call",
  "invalid_output",
];

/**
 * Returns whether a run ends if a hook fails, by the `context` of the error. If a hook that guards fails in
 * `beforeTool`, only the call is denied. `afterRun` and `onError` are called too late.
 */
export function endsRun(context: unknown): boolean {
  const { method, guards } = Object(context);
  return ENDS_RUN.includes(method) || (guards === true && !ENDS_NOTHING.includes(method));
}

const ENDS_RUN: readonly unknown[] = ["beforeRun", "beforeTurn", "beforeModel", "duringModel"];
const ENDS_NOTHING: readonly unknown[] = ["beforeTool", "afterRun", "onError"];

/**
 * Returns whether an error ends the run. If another model request follows in the log, the run went on all the
 * same. Other errors, e.g. of a hook's `afterRun`, do not affect the run.
 */
export function isEnding({ code, context }: EventData["error"]): boolean {
  if (code === "hook_failed") return endsRun(context);
  return ENDING.includes(code);
}

/**
 * Creates an `error` event. Leaves out the stack and anything that looks like a key, because logs are often
 * shared.
 */
export function errorEvent(error: ErrorReport): Extract<NewEvent, { type: "error" }> {
  return { type: "error", data: { ...error, message: withoutKeys(error.message), stack: null } };
}
