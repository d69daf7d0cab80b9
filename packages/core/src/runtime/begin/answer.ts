import type { Agent } from "../../agent/agent.ts";
import { messageOf, PawlError, type PawlErrorCode } from "../../base/errors.ts";
import { isJsonObject, type Json, toJson } from "../../base/json.ts";
import type { NewEvent } from "../../log/event.ts";
import { eventKey } from "../../log/event-keys.ts";
import { listedProblems } from "../../schema/problems.ts";
import { type Schema, validate } from "../../schema/schema.ts";
import { type Asking, isHidden, isWaiting, type RunQuestion } from "../../session/asking.ts";
import { openRun, type SessionState } from "../../session/state.ts";
import { answerExcess } from "../../tools/answer-bounds.ts";
import { isShown, problemsByLog } from "../../tools/problems-by-log.ts";
import type { CallerOptions } from "../leg/host.ts";
import { storedCallerFields } from "./incoming-message.ts";
import type { Answer } from "./run-options.ts";

/** Waits for an asynchronous schema of the application. */
type Within = <T>(work: PromiseLike<T>) => Promise<T>;

/**
 * Checks a user's answers against their questions in the log, and returns the events that store them. Unknown
 * fields of an answer are ignored. `within` wraps the wait for an asynchronous schema.
 *
 * @throws PawlError `unknown_call`, `already_answered`, `invalid_answer` or `invalid_input`. Then no answer
 * is stored.
 */
export async function answerEvents(
  state: SessionState,
  agent: Agent,
  answers: readonly Answer[],
  { caller, credentials, within }: CallerOptions & { within?: Within } = {},
): Promise<NewEvent[]> {
  const seen = new Set<string>();
  const events: NewEvent[] = [];
  for (const answer of answers) {
    const { callId, question } = answer;
    if (seen.has(callId)) {
      throw refusal("invalid_input", "One request answers the same question twice.", { callId });
    }
    seen.add(callId);
    const call = findQuestion(state, callId, question);
    const asksForCredentials = (call as Partial<RunQuestion>).before === "resume";
    if (asksForCredentials && credentials === undefined)
      throw refusal("invalid_answer", "This run needs its caller's credentials: run({ credentials }).", {
        callId,
      });
    const content =
      answer.error === undefined
        ? await checkedAnswer(agent, call, answer.value, within)
        : failedAnswer(call, answer);
    events.push({
      type: "tool_answered",
      key: eventKey.answer(call),
      data: {
        tool_name: call.toolName,
        call_id: callId,
        ...content,
        ...storedCallerFields({ caller, credentials }),
      },
    });
  }
  return events;
}

/** The longest error that a client may report for a call, in UTF-16 code units. */
const MAX_ERROR_CHARS = 10_000;

/**
 * Returns the content of an answer that reports the failure of a tool at the client. Questions of hooks and
 * approvals accept no error, because nothing runs at the client.
 *
 * @throws PawlError `invalid_answer` for such a question, for an answer with a value too, and for an error
 * that is no text or too long
 */
function failedAnswer(
  { callId, question }: Asking,
  { error, value }: Answer,
): { value: null; error: string } {
  const refuse = (message: string) => refusal("invalid_answer", message, { callId });
  if (value !== undefined) throw refuse("An answer must have either a value or an error, not both.");
  if (question?.by !== undefined || question?.kind === "approval") {
    throw refuse(
      `A question of the kind "${question.kind}" does not accept an error. Answer it with a value, e.g. with a no.`,
    );
  }
  if (typeof error !== "string" || error.length > MAX_ERROR_CHARS) {
    throw refuse(`An answer's error must be a text of at most ${MAX_ERROR_CHARS} characters.`);
  }
  return { value: null, error: error.toWellFormed() };
}

/**
 * Returns the content of an answer that has a value. If a tool at the client returned an invalid value, the
 * content is an error.
 *
 * @throws PawlError `invalid_answer` for any other invalid value
 */
async function checkedAnswer(
  agent: Agent,
  call: Asking,
  value: unknown,
  within: Within | undefined,
): Promise<{ value: Json; error?: string }> {
  const stored = storable(value, call.callId);
  const problems = await problemsWith(agent, call, stored, within);
  if (problems.length === 0) return { value: stored };
  // The client's program would send the same value again. So the call fails instead of waiting forever.
  if (call.question?.clientTool !== undefined)
    return {
      value: null,
      error: `The tool returned a wrong result: ${listedProblems(problems)}`,
    };
  throw answerRefused(call, problems);
}

/** Converts a value to JSON. @throws PawlError `invalid_answer` if it is too large, or cannot be JSON */
function storable(value: unknown, callId: string): Json {
  let stored: Json;
  try {
    stored = toJson(value);
  } catch (cause) {
    const message = `The answer cannot be stored: ${messageOf(cause)}`;
    throw new PawlError("invalid_answer", message, { cause, details: { callId } });
  }
  // Handlers limit only the bytes of a request, and a small body may still be JSON with very many values.
  const excess = answerExcess(stored);
  if (excess === undefined) return stored;
  throw refusal("invalid_answer", `The answer cannot be stored: ${excess}.`, { callId });
}

/**
 * Returns the call or hook that asks the question with this `seq`. Default: its last question.
 *
 * @throws PawlError `unknown_call`, or `already_answered` if the question is no longer open
 */
function findQuestion(state: SessionState, callId: string, questionSeq: number | undefined): Asking {
  const call = state.calls.get(callId) ?? state.asked.get(callId);
  const wasAskedEarlier = (questionSeq ?? 0) <= (state.earlierQuestions.get(callId) ?? -1);
  if (call === undefined && wasAskedEarlier) throw alreadyAnswered(callId);
  if (call?.question === undefined || (questionSeq ?? 0) > call.question.seq) {
    throw refusal("unknown_call", "There is no such question in this session.", { callId });
  }
  if (isHidden(call)) {
    throw refusal("unknown_call", "This call waits for a time and not for an answer.", { callId });
  }
  // Otherwise an answer that is sent twice would answer the question that was asked again.
  const isUnnamed = questionSeq === undefined && call.question.changed !== undefined;
  const isClosed = isUnnamed || !isWaiting(call) || openRun(state) === undefined;
  const hasLaterQuestion = (questionSeq ?? call.question.seq) < call.question.seq;
  if (isUnnamed && isWaiting(call)) throw refusal("already_answered", ASKED_AGAIN, { callId });
  if (isClosed || hasLaterQuestion) throw alreadyAnswered(callId);
  return call;
}

const ASKED_AGAIN =
  "This question was asked again, because what it asks about has changed. Read it, and answer with its `seq` as `question`.";

function alreadyAnswered(callId: string): PawlError {
  return refusal("already_answered", "This question has been answered already.", { callId });
}

/** Returns the problems of a value by the question's schema; an empty list if the value is valid. */
async function problemsWith(
  agent: Agent,
  call: Asking,
  value: Json,
  within: Within | undefined,
): Promise<readonly string[]> {
  const toolSchema = schemaOfTool(agent, call);
  if (toolSchema === undefined) return await problemsByLog(call.question?.answerSchema, value);
  const result = await validate(toolSchema, value, within);
  return result.ok ? [] : result.problems;
}

/**
 * Returns the error for an invalid value. For a question of `approval()`, its message has the valid answers.
 */
function answerRefused(call: Asking, problems: readonly string[]): PawlError {
  const message = `The answer does not match the question's schema: ${listedProblems(problems)}`;
  const withHint = isApproval(call)
    ? `${message.replace(/\.$/, "")}. Answer { approved: true } or { approved: false }.`
    : message;
  return refusal("invalid_answer", withHint, { callId: call.callId, problems });
}

/**
 * Returns the answer schema in the code of the tool that asks. It may check more than the JSON Schema in the
 * log. Returns `undefined` if a hook asks, the tool is gone, or its schema has changed since. Then the JSON
 * Schema in the log decides, because the user answered by it.
 */
function schemaOfTool({ tools }: Agent, { toolName, question }: Asking): Schema | undefined {
  const schema = tools.get(toolName)?.suspends?.answer;
  const isAskedByTool = question !== undefined && question.by === undefined && schema !== undefined;
  return isAskedByTool && isShown(schema, question) ? schema : undefined;
}

/** Returns whether `approval()` asks. Clients often answer its questions with a mere `true`. */
function isApproval({ question }: Asking): boolean {
  const { properties } = question?.answerSchema ?? {};
  return question?.kind === "approval" && isJsonObject(properties) && Object.hasOwn(properties, "approved");
}

function refusal(code: PawlErrorCode, message: string, details: { [name: string]: unknown }): PawlError {
  return new PawlError(code, message, { details });
}
