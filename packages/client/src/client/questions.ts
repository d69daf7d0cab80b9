import type { Json, Question } from "@pawl/core";
import type { AgentClient } from "./agent-client.ts";

/**
 * What an agent may ask, by the kind of question (the tool's name, unless it says another one): what is
 * shown, and what answers it. A type of the application's; the server checks answers against the tool's
 * schema, and nothing checks payloads.
 */
export type QuestionTypes<Q> = { readonly [Kind in keyof Q]: { payload: unknown; answer: unknown } };

/** Questions of which nothing is known. */
export type AnyQuestions = Readonly<Record<string, { payload: Json; answer: Json }>>;

/** A question that waits. */
export interface AnswerableQuestion<Payload = Json, Answer = Json> extends Omit<Question, "payload"> {
  payload: Payload;
  /** Resolves to whether this answer was accepted; a second one never is. */
  answer(value: Answer): Promise<boolean>;
  /** Reports that this page's tool failed, and why; see `AgentClient.fail`. */
  fail(error: string): Promise<boolean>;
}

/** The first question of each kind that waits. */
export type AskedByKind<Q extends QuestionTypes<Q>> = {
  readonly [Kind in keyof Q]?: AnswerableQuestion<Q[Kind]["payload"], Q[Kind]["answer"]>;
};

/** Questions with the way to answer them. */
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
 * Questions by their kind.
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
