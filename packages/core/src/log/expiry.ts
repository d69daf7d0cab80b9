import type { Json } from "../base/json.ts";
import type { StoredOf } from "./event.ts";
import type { EventData } from "./event-data.ts";

/** When a question is answered by itself, and with what. */
export interface QuestionExpiry {
  /** From this time on, ISO 8601, UTC. By the store's clock. */
  at: string;
  /** The answer that the question then gets. */
  default: Json;
}

/** Returns when a question expires; `undefined` if it waits without a limit. */
export function expiryOf({ at, data }: StoredOf<"tool_suspended">): QuestionExpiry | undefined {
  const { expires } = data;
  if (expires === undefined) return undefined;
  const { at: fixed = later(at, expires.after_ms ?? 0), default: value } = expires;
  return { at: fixed, default: value };
}

function later(at: string, ms: number): string {
  return new Date(Date.parse(at) + ms).toISOString();
}

/**
 * Returns whether a run that was suspended waits for a time only, so that nobody is asked and it is shown as
 * running.
 *
 * @example
 * ```ts
 * import { waitsForTime } from "@pawl/core/view";
 *
 * console.log(waitsForTime({ run_id: "r1", pending: ["c1"] })); // false
 * console.log(waitsForTime({ run_id: "r1", pending: [], hidden: ["c1"] })); // true
 * ```
 */
export function waitsForTime({ pending, hidden }: EventData["run_suspended"]): boolean {
  return pending.length === 0 && hidden !== undefined;
}
