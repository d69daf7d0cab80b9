import type { ViewPart } from "./view.ts";

/** The end of the key of a part that shows a question about the run. */
export const QUESTION_KEY = ":ask";

/**
 * Returns whether a part shows a hook's question about the run, which no call of the model has asked.
 *
 * @example
 * ```ts
 * import { isQuestionPart } from "@pawl/core/view";
 *
 * console.log(isQuestionPart({ type: "text", key: "4:0", text: "Hi", open: false })); // false
 * ```
 */
export function isQuestionPart({ key }: ViewPart): boolean {
  return key.endsWith(QUESTION_KEY);
}
