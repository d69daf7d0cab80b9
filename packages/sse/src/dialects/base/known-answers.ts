import { canonicalJson, type Json } from "@pawl/core";
import type { ViewQuestion, ViewState } from "@pawl/core/view";
import type { SaidAnswer } from "./answers.ts";

/**
 * What an answer is to a session. `open`: its question waits for it. `same`: its question has this answer.
 * `late`: its question has another answer, or was closed. `unknown`: the session has no such question.
 */
type Known = "open" | "same" | "late" | "unknown";

/**
 * Returns a function that compares answers with the questions of a view. An answer without the `seq` of a
 * question is for the last one of its call. What a page shows of a settled question counts as the same
 * answer: pages send their messages again.
 */
export function knownIn({
  messages,
}: Pick<ViewState, "messages">): (answer: Omit<SaidAnswer, "callId"> & { callId?: string }) => Known {
  const asked = new Map<string | number | undefined, { question: ViewQuestion; result: Json | undefined }>();
  for (const part of messages.flatMap(({ parts }) => parts)) {
    if (part.type !== "tool") continue;
    const { callId, questions = [], result } = part;
    for (const question of questions) {
      asked.set(question.seq, { question, result });
      asked.set(callId, { question, result });
    }
  }
  return ({ callId, question: seq = callId, value, error }) => {
    const known = asked.get(seq);
    if (known === undefined) return "unknown";
    const { question, result } = known;
    if (question.state === "open") return "open";
    const shown = [question.value, question.reason, notAnswered(question), result];
    const isShown = shown.some((one) => one !== undefined && isSame(one, error ?? value ?? null));
    return isShown ? "same" : "late";
  };
}

function isSame(one: Json, other: Json): boolean {
  return canonicalJson(one) === canonicalJson(other);
}

/** Returns what pages show of a question that was closed without an answer; `undefined` for all others. */
export function notAnswered({ state, reason }: ViewQuestion): string | undefined {
  return state === "closed" || state === "stopped" ? `Not answered: ${reason}` : undefined;
}
