import {
  type Answer,
  type Json,
  type JsonObject,
  jsonSchema,
  PawlError,
  type Question,
  type StoredOf,
  toJson,
} from "@pawl/core";
import {
  isQuestionPart,
  type ToolPhase,
  type ViewMessage,
  type ViewPart,
  type ViewState,
} from "@pawl/core/view";
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
  const read = textReader();
  const answers = said.flatMap(({ fits, isText, ...answer }) => {
    const question = view.pending.find(({ callId }) => callId === answer.callId);
    const isAwaited = question !== undefined && fits?.(question) !== false;
    if (!isAwaited || (answer.question ?? question.seq) !== question.seq) return [];
    const named: Answer = { ...answer, question: question.seq };
    if (!isText || named.error !== undefined) return [named];
    return [{ ...named, value: read(String(named.value), question) }];
  });
  if (answers.length > 0) return answers;
  const calls = callsIn(view);
  const known = said.some(({ callId }) => calls.has(callId));
  if (known) throw new PawlError("already_answered", "This question has been answered already.");
  throw new PawlError("unknown_call", "There is no such question in this session.");
}

/**
 * Returns the value of an answer that was sent as text. For "42", a question for text gets the text, and a
 * question for a number gets the number. If the question accepts both text and an object or list, a text that
 * is JSON counts as the object or list.
 */
function textOrJson(text: string, takes: (value: Json) => boolean): Json {
  const json = parsed(text);
  const isStructure = typeof json === "object" && json !== null;
  if (isStructure && takes(json)) return json;
  return json === undefined || takes(text) ? text : json;
}

/** Returns a function that reads texts as answers. Reads the schema of each question once. */
function textReader(): (text: string, question: Question) => Json {
  const schemas = new Map<Question, (value: Json) => boolean>();
  return (text, question) => {
    const takes = schemas.get(question) ?? fitter(question.answerSchema);
    schemas.set(question, takes);
    return textOrJson(text, takes);
  };
}

/** Parses a text as JSON. Returns `undefined` if it is not JSON, or is nested too deeply to be stored. */
function parsed(text: string): Json | undefined {
  try {
    return toJson(JSON.parse(text));
  } catch {
    return undefined;
  }
}

function fitter(schema: JsonObject): (value: Json) => boolean {
  const { validate } = jsonSchema(schema)["~standard"];
  return (value) => {
    const result = validate(value);
    return !("then" in result) && result.issues === undefined;
  };
}

/** Returns the ids of a session's calls. */
export function callsIn({ messages }: ViewState): ReadonlySet<string> {
  const ids = (part: ViewMessage["parts"][number]) => (part.type === "tool" ? [part.callId] : []);
  return new Set(messages.flatMap(({ parts }) => parts.flatMap(ids)));
}

/** Returns whether a question is answered with yes or no, like the questions of `approval()`. */
export function isApproval({ kind }: Pick<Question, "kind">): boolean {
  return kind === "approval";
}

/** Returns whether a call neither runs nor waits. */
export function isOver(phase: ToolPhase): boolean {
  return phase !== "running" && phase !== "waiting";
}

/** Returns whether a call has failed, or was answered without being run. */
export function isFailedCall({ success, skipped }: StoredOf<"tool_result">["data"]): boolean {
  return !success || skipped !== undefined;
}

/** Returns the phase of a call whose status text is shown. */
export function statusPhase({
  type,
  data,
}: StoredOf<"tool_started" | "tool_result">): "start" | "done" | "error" | "skipped" {
  if (type === "tool_started") return "start";
  if (data.skipped !== undefined) return "skipped";
  return data.success ? "done" : "error";
}

/**
 * Returns whether a call has its result. The answer to its last question is not a result: an approved call
 * runs after it, and a call may ask again.
 */
export function hasResult(part: ViewPart & { type: "tool" }): boolean {
  const { phase, resultSeq, questions = [] } = part;
  if (!isOver(phase)) return false;
  return isQuestionPart(part) || questions.at(-1)?.resultSeq !== resultSeq;
}
