import { messageOf } from "../base/errors.ts";
import { isJsonObject, type Json, literalCopy, lossless, toJson } from "../base/json.ts";
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

/** What a tool or a hook has given to a method of its context. It may change it afterwards. */
export interface Given {
  /** The value, for checks: a copy if it is a literal. JSON may lose a part of any other value. */
  value: unknown;
  /** The JSON of the value when it was given; `undefined` if it had none. */
  json: Json | undefined;
}

/** Takes the JSON of a value at once. */
export function given(value: unknown): Given {
  const copy = literalResult(value);
  return { value: copy ?? value, json: copy === undefined ? jsonOrNothing(value) : copy };
}

function jsonOrNothing(value: unknown): Json | undefined {
  try {
    return toJson(value);
  } catch {
    // A check that follows finds the reason.
    return undefined;
  }
}

/** Copies a part or an event at once, with its `data` as {@link given} returns it. */
export function givenWithData<T extends { data?: unknown }>(item: T): [item: T, json: Json | undefined] {
  if (!isJsonObject(item as unknown) || item.data === undefined) return [item, undefined];
  const { value, json } = given(item.data);
  return [{ ...item, data: value }, json];
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
