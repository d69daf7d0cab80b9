import {
  type Answer,
  type Json,
  type JsonObject,
  jsonSchema,
  PawlError,
  type Question,
  toJson,
} from "@pawl/core";
import type { ViewState } from "@pawl/core/view";
import { invalid } from "../../request/check-body.ts";

/** A client's answer to a question. */
export type SaidAnswer = Answer & {
  /** Set if only some kinds of questions accept this form of answer. */
  fits?(question: Question): boolean;
  /**
   * The value was sent as a text. It counts as that text or as the JSON in it, whichever the question
   * accepts.
   */
  isText?: boolean;
};

/** The longest error of a client's tool that is passed on. */
const MAX_ERROR_CHARS = 10_000;

/**
 * An answer that reports a call's failure at the client. The model reads the text as the call's error,
 * whatever the tool's answer schema. Approvals refuse it.
 */
export function failedAnswer(callId: string, error: unknown): SaidAnswer {
  const text = typeof error === "string" ? error : "";
  return { callId, error: text.slice(0, MAX_ERROR_CHARS) };
}

/**
 * Returns those of a client's answers that the session waits for. Ignores old answers, which clients send
 * again with their history.
 *
 * @throws HTTPException 400 if there is no answer; PawlError `already_answered` or `unknown_call` if the
 * session waits for none of them.
 */
export function awaitedAnswers(view: ViewState, said: readonly SaidAnswer[]): Answer[] {
  const [first] = said;
  if (first === undefined)
    throw invalid("This request must have a message or an answer to a question; it has neither.");
  const answers = said.flatMap(({ fits, isText, ...answer }) => {
    const question = view.pending.find(({ callId }) => callId === answer.callId);
    const isAwaited = question !== undefined && fits?.(question) !== false;
    if (!isAwaited || (answer.question ?? question.seq) !== question.seq) return [];
    return [
      isText && answer.error === undefined
        ? { ...answer, value: textOrJson(String(answer.value), question) }
        : answer,
    ];
  });
  if (answers.length > 0) return answers;
  const known = said.some(({ callId }) => hasCall(view, callId));
  if (known) throw new PawlError("already_answered", "This question has been answered already.");
  throw new PawlError("unknown_call", "There is no such question in this session.");
}

/**
 * Reads an answer that was sent as a text: as that text, or as the JSON in it. "42" answers a question for a
 * text with the text, and a question for a number with the number. If the question accepts both a text and
 * the object or list in it, the object or list counts: nobody types one by hand.
 */
function textOrJson(text: string, { answerSchema }: Question): Json {
  const takes = (value: Json | undefined) => value !== undefined && fitsSchema(answerSchema, value);
  const json = parsed(text);
  const isStructure = typeof json === "object" && json !== null;
  if (isStructure && takes(json)) return json;
  return json === undefined || takes(text) ? text : json;
}

/** Parses the JSON in a text. Returns `undefined` if it is not JSON, or nested too deeply to be stored. */
function parsed(text: string): Json | undefined {
  try {
    return toJson(JSON.parse(text));
  } catch {
    return undefined;
  }
}

function fitsSchema(schema: JsonObject, value: Json): boolean {
  const result = jsonSchema(schema)["~standard"].validate(value);
  return !("then" in result) && result.issues === undefined;
}

function hasCall({ messages }: ViewState, callId: string): boolean {
  return messages.some(({ parts }) => parts.some((part) => part.type === "tool" && part.callId === callId));
}

/** Whether a question is answered with yes or no, as those of `approval()` are. */
export function isApproval({ kind }: Pick<Question, "kind">): boolean {
  return kind === "approval";
}
