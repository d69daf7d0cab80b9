import type { StoredOf } from "../log/event.ts";
import { REDACTED } from "../log/store/redacted.ts";
import type { ViewPart, ViewQuestion } from "./view.ts";

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
    questions: [openQuestion({ data, seq })],
  };
}

/** Returns what the view shows of a question that waits for its answer. */
export function openQuestion({
  data: { kind },
  seq,
}: Pick<StoredOf<"tool_suspended">, "data" | "seq">): ViewQuestion {
  return { seq, kind, state: "open" };
}

/** Returns a call's part without its result and the answers to its questions. */
export function withoutResult(part: ViewPart & { type: "tool" }): ViewPart {
  const questions = part.questions?.map((question) =>
    question.state === "closed"
      ? question
      : { ...question, [question.reason === undefined ? "value" : "reason"]: REDACTED },
  );
  return { ...part, result: REDACTED, ...(questions && { questions }) };
}

/** Returns the questions of a call once the last one is answered or closed. */
export function withAnswer(
  questions: readonly ViewQuestion[],
  { seq: resultSeq, data: { value, error, closed, expired } }: StoredOf<"tool_answered">,
): ViewQuestion[] {
  const state = closed !== undefined ? "closed" : expired ? "expired" : "answered";
  const reason = closed ?? error;
  const last = { state, resultSeq, ...(reason === undefined ? { value } : { reason }) } as const;
  return questions.map((question, index) => (questions[index + 1] ? question : { ...question, ...last }));
}
