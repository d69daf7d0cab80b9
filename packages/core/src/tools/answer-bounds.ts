import { excessOf, type JsonBounds } from "../base/excess.ts";
import { MAX_DEPTH } from "../base/json-depth.ts";

/** What an answer may have at most, whichever way it came. */
const ANSWER_BOUNDS: JsonBounds = { levels: MAX_DEPTH, values: 50_000 };

/** Returns what an answer has too much of; `undefined` if its schema may judge it. */
export function answerExcess(value: unknown): string | undefined {
  const excess = excessOf(value, ANSWER_BOUNDS);
  return excess && `it has more than ${ANSWER_BOUNDS[excess]} ${excess}`;
}
