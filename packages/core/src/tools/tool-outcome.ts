import { messageOf } from "../base/errors.ts";
import { type Json, toJson } from "../base/json.ts";
import { listedProblems } from "../schema/problems.ts";

/**
 * Converts a tool's return value to JSON. A value that JSON cannot represent is replaced by a note. This is
 * not an error, because the tool did its work.
 */
export function jsonResult(value: unknown): Json {
  try {
    return toJson(value instanceof Error ? { name: value.name, message: messageOf(value) } : value);
  } catch (cause) {
    return {
      done: true,
      note: `The tool succeeded, but its result cannot be represented as JSON: ${messageOf(cause)}`,
    };
  }
}

/** Returns the message for a call whose input does not match the tool's schema. */
export function inputMismatch(problems: readonly string[]): string {
  return `The input does not match the tool's schema: ${listedProblems(problems)}`;
}

/** Returns the reason with which a tool's signal aborts once the tool's `timeoutMs` is over. */
export function tookTooLong(timeoutMs: number | undefined): Error {
  // The name tells it from a stop: see `failureCause()`.
  return Object.assign(new Error(`The tool took longer than ${timeoutMs} ms.`), { name: "TimeUp" });
}
