import { messageOf } from "../base/errors.ts";
import { isJsonObject, type Json, literalCopy, lossless } from "../base/json.ts";
import type { EmittedPart } from "../log/event-parts.ts";
import { listedProblems } from "../schema/problems.ts";

/**
 * Converts a tool's return value to JSON; nothing becomes `null`. Returns `undefined` for a value that is
 * more than literals: JSON may lose a part of it, see `checkedResult()`.
 */
export function literalResult(value: unknown): Json | undefined {
  if (value === undefined) return null;
  return literalCopy(
    value instanceof Error ? { name: value.name, message: messageOf(value) } : value,
    lossless,
  );
}

/**
 * Copies a part at once, because the tool or hook that emits it may change it. The second is the JSON of its
 * data, if they are a literal.
 */
export function emittedCopy(part: EmittedPart): [part: EmittedPart, data: Json | undefined] {
  const copy: EmittedPart = isJsonObject(part as unknown) ? { ...part } : part;
  return [copy, copy?.data === undefined ? undefined : literalResult(copy.data)];
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
