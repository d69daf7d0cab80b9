import type { StoredOf } from "../log/event.ts";
import { REDACTED, redactedAnswer } from "../log/store/redacted.ts";
import type { ViewPart, ViewQuestion } from "./view.ts";

/** The part of a call, or of a hook's question about the run. */
export type ToolPart = ViewPart & { type: "tool" };

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
export function questionPart(event: StoredOf<"tool_suspended">): ViewPart {
  const { call_id: callId, tool_name: toolName, payload } = event.data;
  return {
    type: "tool",
    key: `${event.seq}${QUESTION_KEY}`,
    callId,
    toolName,
    phase: "waiting",
    arguments: payload,
    questions: [openQuestion(event)],
  };
}

/** Returns what the view shows of a question that waits for its answer. */
export function openQuestion({ seq, data: { kind, payload } }: StoredOf<"tool_suspended">): ViewQuestion {
  return { seq, kind, payload, state: "open" };
}

/** Returns a call's part as the redaction of its event `seq`, of the type `of`, leaves it. */
export function redactedCall(part: ToolPart, of: string, seq: number): ToolPart {
  if (of === "tool_call") return { ...part, arguments: {} };
  if (of === "tool_started" || of === "tool_suspended") {
    const shown = isQuestionPart(part) ? { arguments: REDACTED } : "input" in part && { input: {} };
    return withQuestions({ ...part, ...shown }, (question) =>
      question.seq === seq ? { ...question, payload: REDACTED } : question,
    );
  }
  const isResult = (of === "tool_result" || of === "tool_answered") && "result" in part;
  if (!isResult) return part;
  return withQuestions({ ...part, result: REDACTED }, (question) => ({
    ...question,
    ...("value" in question
      ? { value: redactedAnswer(question.value) }
      : question.by === "user" && { reason: REDACTED }),
  }));
}

function withQuestions(part: ToolPart, change: (question: ViewQuestion) => ViewQuestion): ToolPart {
  return part.questions ? { ...part, questions: part.questions.map(change) } : part;
}

/** Returns what a call's part shows once its last question is answered or closed. */
export function answered(
  { questions = [] }: ToolPart,
  { seq: resultSeq, data: { value, error, closed, closed_by, expired } }: StoredOf<"tool_answered">,
): Partial<ToolPart> {
  const by = closed_by ?? (closed ? undefined : expired ? "time" : "user");
  const reason = closed ?? error;
  const last: Partial<ViewQuestion> = {
    state: STATES[by ?? "end"],
    ...(by && { by }),
    resultSeq,
    ...(reason === undefined ? { value } : { reason }),
  };
  return {
    phase: closed ? "skipped" : error === undefined ? "done" : "error",
    result: closed ? { answered: false, reason: closed } : (error ?? value),
    resultSeq,
    questions: questions.map((question, at) => (questions[at + 1] ? question : { ...question, ...last })),
  };
}

/** The state of a question by what settled it. */
const STATES = {
  user: "answered",
  time: "expired",
  message: "closed",
  stop: "stopped",
  end: "closed",
} as const;
