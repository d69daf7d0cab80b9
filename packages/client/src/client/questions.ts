import type { Json, Question } from "@pawl/core";
import type { AnyAgent } from "@pawl/core/view";
import type { AgentClient } from "./agent-client.ts";
import type { AnyQuestions, QuestionsOf, QuestionTypes } from "./question-types.ts";

/** A pending question, with functions to answer it. */
export interface AnswerableQuestion<Payload = Json, Answer = Json> extends Omit<Question, "payload"> {
  /** The content of the question, as the tool defines it. */
  payload: Payload;
  /**
   * Sends the answer. Resolves to whether the server accepted it: only the first answer to a question counts.
   */
  answer(value: Answer): Promise<boolean>;
  /**
   * Reports that this page's tool failed. The model reads `error`, at most 10,000 characters. Resolves to
   * whether the server accepted the report. Approvals refuse it.
   */
  fail(error: string): Promise<boolean>;
}

/** The first pending question of each kind, keyed by kind. */
export type AskedByKind<Q> = {
  readonly [Kind in keyof QuestionsOf<Q>]?: QuestionsOf<Q>[Kind] extends {
    payload: infer Payload;
    answer: infer Answer;
  }
    ? AnswerableQuestion<Payload, Answer>
    : never;
};

/**
 * A pending question of any kind that `Q` has. Once its `kind` is compared, its payload and its answer have
 * the types of that kind.
 */
export type PendingOf<Q> = string extends keyof QuestionsOf<Q>
  ? AnswerableQuestion
  : {
      [Kind in keyof QuestionsOf<Q>]: NonNullable<AskedByKind<Q>[Kind]> & { readonly kind: Kind };
    }[keyof QuestionsOf<Q>];

/**
 * Returns questions with functions to answer them.
 *
 * @example
 * ```ts
 * import { answerable, createAgentClient } from "@pawl/client";
 *
 * const client = createAgentClient({ url: "/api/coach" });
 * const [question] = answerable(client.getState().pending, client);
 * console.log(question?.toolName); // undefined: nothing is asked
 * await question?.answer({ approved: true });
 * client.close();
 * ```
 */
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
export function askedByKind<Q extends QuestionTypes<Q> | AnyAgent = AnyQuestions>(
  questions: readonly AnswerableQuestion[],
): AskedByKind<Q> {
  return Object.fromEntries(
    questions.toReversed().map((question) => [question.kind, question]),
  ) as AskedByKind<Q>;
}
