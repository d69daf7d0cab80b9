import type { Json, Question } from "@pawl/core";
import type { AnyAgent, QuestionTypesOf } from "@pawl/core/view";

/**
 * The types of an agent's questions, keyed by the question's kind, which is the tool's name unless the tool
 * sets another: `payload` is what the question shows, `answer` is the type of its answer.
 * `QuestionTypesOf<typeof agent>` of `@pawl/core/view` has them for the agent's tools and `approval()`. Write
 * them where the page has no access to the agent's type, and for the questions of your own hooks.
 *
 * The server validates answers against the tool's schema. Nothing validates payloads.
 */
export type QuestionTypes<Q> = { readonly [Kind in keyof Q]: { payload: unknown; answer: unknown } };

/** The type of questions if you declare none: every payload and answer is JSON. */
export type AnyQuestions = Readonly<Record<string, { payload: Json; answer: Json }>>;

/** The types of questions that `Q` has: those of the agent whose type it is, or else `Q` itself. */
export type QuestionsOf<Q> = Q extends AnyAgent ? QuestionTypesOf<Q> : Q;

/** A pending question of any kind that `Q` has. Compare its `kind` to get the type of its payload. */
export type QuestionOf<Q> = string extends keyof QuestionsOf<Q>
  ? Question
  : {
      [Kind in keyof QuestionsOf<Q>]: KnownQuestion<
        Kind,
        QuestionsOf<Q>[Kind]["payload" & keyof QuestionsOf<Q>[Kind]]
      >;
    }[keyof QuestionsOf<Q>];

/** A pending question whose kind is known. */
export interface KnownQuestion<Kind, Payload> extends Omit<Question, "kind" | "payload"> {
  kind: Kind;
  /** The content of the question, as the tool defines it. */
  payload: Payload;
}

/** What may answer the questions that `Q` has. */
export type AnswerOf<Q> = string extends keyof QuestionsOf<Q>
  ? Json
  : {
      [Kind in keyof QuestionsOf<Q>]: QuestionsOf<Q>[Kind]["answer" & keyof QuestionsOf<Q>[Kind]];
    }[keyof QuestionsOf<Q>];
