import { excessOf, type JsonBounds } from "../base/excess.ts";
import { MAX_DEPTH } from "../base/json-depth.ts";

/** The most levels of nesting, and the most values, of a user's answer. */
const ANSWER_BOUNDS: JsonBounds = { levels: MAX_DEPTH, values: 50_000 };

/** Returns why an answer is too deep or too large to be validated by its schema; `undefined` if it is not. */
export function answerExcess(value: unknown): string | undefined {
  const excess = excessOf(value, ANSWER_BOUNDS);
  return excess && `it has more than ${ANSWER_BOUNDS[excess]} ${excess}`;
}
