import { type JsonObject, type Schema, validate } from "@pawl/core";
import { excessOf, type JsonBounds, listedProblems } from "@pawl/core/tools";
import type { HTTPException } from "hono/http-exception";
import { refusal } from "./wire-error.ts";

const NO_CONTROLS = "^[^\\u0000-\\u001f\\u007f]*$";

/**
 * Returns the JSON Schema of an id. Control characters are not allowed, because ids are used in headers and
 * logs.
 */
export const id = (maxLength: number): JsonObject => ({
  type: "string",
  minLength: 1,
  maxLength,
  pattern: NO_CONTROLS,
});

const ID = new RegExp(NO_CONTROLS.replace("*", "{1,200}"));

/** What a body may have at most. No client needs more, and what validation costs grows with its values. */
const BOUNDS: JsonBounds = { levels: 100, values: 50_000 };

/**
 * Validates the body of a request for a run.
 *
 * @throws HTTPException 400 with the reason.
 */
export async function checkBody<T>(schema: Schema<T>, body: unknown): Promise<T> {
  const excess = excessOf(body, BOUNDS);
  if (excess === "levels")
    throw invalid(`The body is nested too deeply: it may have at most ${BOUNDS.levels} levels.`);
  if (excess === "values") throw invalid(`The body may have at most ${BOUNDS.values} values.`);
  const checked = await validate(schema, body);
  if (!checked.ok)
    throw invalid(`The body is not a valid request for a run: ${listedProblems(checked.problems)}`);
  return checked.value as T;
}

/**
 * Checks that a user's message is neither blank nor too long, and returns it.
 *
 * @throws HTTPException 400.
 */
export function checkInput(input: string, maxInputLength: number): string {
  if (input.trim() === "") throw invalid("The message is empty. Please write something.");
  if (input.length > maxInputLength) {
    throw invalid(`The message may have at most ${maxInputLength} characters.`);
  }
  return input;
}

/**
 * Checks the id that a client has given to a session or message, and returns it.
 *
 * @throws HTTPException 400 for an id that is empty, longer than 200 characters or has control characters.
 */
export function checkId(text: string): string {
  if (!ID.test(text)) throw invalid("An id must have 1 to 200 characters and no control characters.");
  return text;
}

export function invalid(message: string): HTTPException {
  return refusal(400, "invalid_input", message);
}
