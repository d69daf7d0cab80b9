import type { Json } from "../base/json.ts";
import type { Budget } from "../log/budget.ts";

/** How a call was started. */
export interface StartedCall {
  idempotencyKey: string;
  /** The tool's input if a hook has changed it. */
  input?: Json;
  /** The budget of the call's sub-agent. */
  slice?: Partial<Budget>;
  /** The sub-agent's name if the input chose it. */
  agent?: string;
  /** Whether the tool was not idempotent, so that the call must not run again. */
  once?: true;
}
