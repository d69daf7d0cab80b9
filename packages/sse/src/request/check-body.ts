import { type JsonObject, type Schema, validate } from "@pawl/core";
import type { HTTPException } from "hono/http-exception";
import { refusal } from "./wire-error.ts";

const NO_CONTROLS = "^[^\\u0000-\\u001f\\u007f]*$";

/** No control characters: ids go into headers, keys and logs. */
export const id = (maxLength: number): JsonObject => ({
  type: "string",
  minLength: 1,
  maxLength,
  pattern: NO_CONTROLS,
});

const ID = new RegExp(NO_CONTROLS.replace("*", "{1,200}"));

/** How deep a body may be nested; what is deeper is an attack, not an answer. */
const MAX_DEPTH = 100;

/**
 * The body of a request for a run, if it is of this shape.
 *
 * @throws HTTPException 400 that says what is wrong.
 */
export async function checkBody<T>(schema: Schema<T>, body: unknown): Promise<T> {
  if (isDeeperThan(body, MAX_DEPTH)) throw invalid("The body is nested too deeply.");
  const checked = await validate(schema, body);
  if (!checked.ok) throw invalid(`This is no request for a run: ${checked.problems.join("; ")}`);
  return checked.value as T;
}

/**
 * A user's message, if there is something in it and not too much.
 *
 * @throws HTTPException 400.
 */
export function checkInput(input: string, maxInputLength: number): string {
  if (input.trim() === "") throw invalid("The message is empty.");
  if (input.length > maxInputLength) {
    throw invalid(`The message may have at most ${maxInputLength} characters.`);
  }
  return input;
}

/**
 * A message's id of its client's.
 *
 * @throws HTTPException 400 for one that cannot be stored.
 */
export function checkId(text: string): string {
  if (!ID.test(text)) throw invalid("An id has 1 to 200 characters, none of them a control character.");
  return text;
}

export function invalid(message: string): HTTPException {
  return refusal(400, "invalid_input", message);
}

/** Level by level, because recursion is what a deep value is meant to break. */
function isDeeperThan(value: unknown, depth: number): boolean {
  let level = [value];
  for (let left = depth; level.length > 0; left -= 1) {
    if (left === 0) return true;
    level = level.flatMap((part) => (part !== null && typeof part === "object" ? Object.values(part) : []));
  }
  return false;
}
