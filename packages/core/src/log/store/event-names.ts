import { kindOf } from "../../base/check-options.ts";
import { PawlError } from "../../base/errors.ts";
import type { EventType } from "../event.ts";
import type { LiveEventType } from "./live-event.ts";

/** All types of stored events. The compiler checks that none is missing. */
const STORED: { readonly [type in EventType]: true } = {
  user_message: true,
  assistant_message: true,
  tool_result: true,
  knowledge: true,
  artifact: true,
  note: true,
  output: true,
  prefix: true,
  checkpoint: true,
  redaction: true,
  run_started: true,
  run_suspended: true,
  run_left: true,
  run_recovered: true,
  agent_changed: true,
  run_ended: true,
  stop_requested: true,
  task_started: true,
  effect_started: true,
  effect_ended: true,
  tool_call: true,
  tool_started: true,
  tool_suspended: true,
  tool_answered: true,
  data_part: true,
  llm_request: true,
  llm_response: true,
  spending: true,
  error: true,
};

/** All types of live events. */
const LIVE: { readonly [type in LiveEventType]: true } = {
  text_delta: true,
  thinking_delta: true,
  tool_input_delta: true,
  output_delta: true,
  tool_status: true,
  tool_progress: true,
  transient_part: true,
  agent_delta: true,
  turn_ended: true,
  attempt_restarted: true,
};

/**
 * Checks a listener and the name of its event. Names with a dot belong to extensions and are accepted.
 *
 * @throws PawlError `config` for a name that no event has, and for a listener that is not a function
 */
export function checkListening(type: string, listener: unknown): void {
  if (typeof listener !== "function") {
    const message = `The listener for "${type}" must be a function; got ${kindOf(listener)}.`;
    throw new PawlError("config", message);
  }
  if (Object.hasOwn(STORED, type) || Object.hasOwn(LIVE, type) || `${type}`.includes(".")) return;
  const names = [...Object.keys(LIVE), ...Object.keys(STORED)].join(", ");
  throw new PawlError("config", `There is no event "${type}". The events are ${names}.`);
}
