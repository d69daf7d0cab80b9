import type { Json } from "../base/json.ts";
import type { StoredOf } from "./event.ts";
import type { EventData } from "./event-data.ts";

/** When an unanswered question expires, and the answer that it then gets. */
export interface QuestionExpiry {
  /** The time at which the question expires, by the store's clock. ISO 8601, UTC. */
  at: string;
  /** The answer that the question then gets. */
  default: Json;
}

/** Returns when a question expires; `undefined` if it waits without a limit. */
export function expiryOf({ at, data }: StoredOf<"tool_suspended">): QuestionExpiry | undefined {
  const { expires } = data;
  return expires && { at: expires.at ?? addMs(at, expires.after_ms ?? 0), default: expires.default };
}

/** Adds milliseconds to a time, ISO 8601. */
export function addMs(time: string, ms: number): string {
  return new Date(Date.parse(time) + ms).toISOString();
}

/**
 * Returns whether a suspended run waits only for a time. Nobody is asked then, and the run is shown as
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
