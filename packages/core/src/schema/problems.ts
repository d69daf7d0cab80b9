import { clipText } from "../base/clip-text.ts";

/** The most problems of one value that are listed. */
export const MOST_PROBLEMS = 10;

/** The longest description of one problem, in characters. A library may list every unknown field in it. */
export const LONGEST_PROBLEM = 500;

/**
 * Returns the problems of a value as one text: the first ten, in at most 1,000 characters. The text is
 * bounded because it goes into logs, prompts and responses, and a value may have any number of problems.
 *
 * @example
 * ```ts
 * import { listedProblems } from "@pawl/core/tools";
 *
 * console.log(listedProblems(["city: is missing", "days: must be a number"]));
 * // city: is missing; days: must be a number
 * ```
 */
export function listedProblems(problems: readonly string[]): string {
  // biome-ignore lint/plugin: this is the function that joins them.
  return clipText(problems.slice(0, MOST_PROBLEMS).join("; "), 1_000);
}
