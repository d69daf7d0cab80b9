import type { Json, Question } from "@pawl/core";
import type { AgentClient } from "./agent-client.ts";

/**
 * The types of an agent's questions, keyed by the kind of question (the tool's name, unless the tool sets
 * another): the payload that is shown, and the answer. You write this type. The server validates answers
 * against the tool's schema; payloads are not validated.
 */
export type QuestionTypes<Q> = { readonly [Kind in keyof Q]: { payload: unknown; answer: unknown } };

/** Questions without known types. */
export type AnyQuestions = Readonly<Record<string, { payload: Json; answer: Json }>>;

/** A pending question, with functions to answer it. */
export interface AnswerableQuestion<Payload = Json, Answer = Json> extends Omit<Question, "payload"> {
  payload: Payload;
  /** Resolves to whether this answer was accepted; a second one never is. */
  answer(value: Answer): Promise<boolean>;
  /** Reports that this page's tool failed, and why; see `AgentClient.fail`. */
  fail(error: string): Promise<boolean>;
}

/** The first pending question of each kind. */
export type AskedByKind<Q extends QuestionTypes<Q>> = {
  readonly [Kind in keyof Q]?: AnswerableQuestion<Q[Kind]["payload"], Q[Kind]["answer"]>;
};

/** Adds `answer` and `fail` to questions. */
export function answerable(
  questions: readonly Question[],
  { answer, fail }: Pick<AgentClient, "answer" | "fail">,
): AnswerableQuestion[] {
  return questions.map((question) => ({
    ...question,
    answer: (value) => answer(question.callId, value, question.seq),
    fail: (error) => fail(question.callId, error, question.seq),
  }));
}

/**
 * Returns the first question of each kind, keyed by kind.
 *
 * @example
 * ```ts
 * import { answerable, createAgentClient, askedByKind } from "@pawl/client";
 *
 * type Asks = { show_options: { payload: { question: string }; answer: string } };
 *
 * const client = createAgentClient({ url: "/api/coach" });
 * const { show_options } = askedByKind<Asks>(answerable(client.getState().pending, client));
 * console.log(show_options?.payload.question); // undefined: nothing is asked
 * await show_options?.answer("plan");
 * client.close();
 * ```
 */
export function askedByKind<Q extends QuestionTypes<Q> = AnyQuestions>(
  questions: readonly AnswerableQuestion[],
): AskedByKind<Q> {
  return Object.fromEntries(
    questions.toReversed().map((question) => [question.kind, question]),
  ) as AskedByKind<Q>;
}
