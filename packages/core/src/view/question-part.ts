import type { StoredOf } from "../log/event.ts";
import type { ViewPart } from "./view.ts";

/** The suffix of the key of a part that shows a question about the run. */
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

/** Returns the part that shows a hook's question about the run. */
export function questionPart({ data, seq }: StoredOf<"tool_suspended">): ViewPart {
  const { call_id: callId, tool_name: toolName, payload } = data;
  return {
    type: "tool",
    key: `${seq}${QUESTION_KEY}`,
    callId,
    toolName,
    phase: "waiting",
    arguments: payload,
  };
}
