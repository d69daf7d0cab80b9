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

/** An answer as a client has sent it, before it is matched with a question. */
export type SaidAnswer = Answer & {
  /** Returns whether a question accepts this form of answer. Default: every question does. */
  fits?(question: Question): boolean;
  /**
   * Whether the value was sent as text. If so, the question's schema decides whether it counts as text or as
   * JSON.
   */
  isText?: boolean;
};

/** The longest error message of a client's tool, in UTF-16 code units. The rest is cut off. */
const MAX_ERROR_CHARS = 10_000;

/**
 * Returns an answer which reports that a call failed at the client. The model reads the text as the call's
 * error, whatever the tool's answer schema. Approvals refuse such an answer.
 */
export function failedAnswer(callId: string, error: unknown): SaidAnswer {
  const text = typeof error === "string" ? error : "";
  return { callId, error: text.slice(0, MAX_ERROR_CHARS) };
}

/**
 * Returns the answers to open questions. Ignores answers to earlier questions, which clients send again with
 * their history.
 *
 * @throws HTTPException 400 if the request has no answer. PawlError `already_answered` or `unknown_call` if
 * no answer belongs to an open question.
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
 * Returns the value of an answer that was sent as text. For "42", a question for text gets the text, and a
 * question for a number gets the number. If the question accepts both text and an object or list, a text that
 * is JSON counts as the object or list.
 */
function textOrJson(text: string, { answerSchema }: Question): Json {
  const takes = (value: Json | undefined) => value !== undefined && fitsSchema(answerSchema, value);
  const json = parsed(text);
  const isStructure = typeof json === "object" && json !== null;
  if (isStructure && takes(json)) return json;
  return json === undefined || takes(text) ? text : json;
}

/** Parses a text as JSON. Returns `undefined` if it is not JSON, or is nested too deeply to be stored. */
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

/** Returns whether a question is answered with yes or no, like the questions of `approval()`. */
export function isApproval({ kind }: Pick<Question, "kind">): boolean {
  return kind === "approval";
}
