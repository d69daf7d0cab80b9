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
import type { AskedBy } from "../leg/host.ts";
import { calledBy } from "./incoming-message.ts";
import type { Answer } from "./run-options.ts";

/** Waits for the result of a schema of the application's that is asynchronous. */
type Within = <T>(work: PromiseLike<T>) => Promise<T>;

/**
 * Checks a user's answers against their questions in the log and returns the events that store them. Only
 * values that match the question's schema are stored; everything else in the request is ignored.
 *
 * @throws PawlError `unknown_call`, `already_answered`, `invalid_answer` or `invalid_input`. Then no answer
 * is stored.
 */
export async function answerEvents(
  state: SessionState,
  agent: Agent,
  answers: readonly Answer[],
  { caller, credentials, within }: AskedBy & { within?: Within } = {},
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
    const { before } = call as Partial<RunQuestion>;
    if (before === "resume" && credentials === undefined)
      throw refusal("invalid_answer", "This run needs its caller's credentials: run({ credentials }).", {
        callId,
      });
    const said =
      answer.error === undefined
        ? await checkedAnswer(agent, call, answer.value, within)
        : failedAnswer(call, answer);
    events.push({
      type: "tool_answered",
      key: eventKey.answer(call),
      data: {
        tool_name: call.toolName,
        call_id: callId,
        ...said,
        ...calledBy({ caller, credentials }),
      },
    });
  }
  return events;
}

/** The longest error that a client may report for a call, in UTF-16 code units. */
const MAX_ERROR_CHARS = 10_000;

/**
 * Returns the answer for a call that failed at the client. Throws for a hook's question, because nothing runs
 * at the client then.
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

async function checkedAnswer(
  agent: Agent,
  call: Asking,
  value: unknown,
  within: Within | undefined,
): Promise<{ value: Json; error?: string }> {
  const stored = storable(value, call.callId);
  const problems = await problemsWith(agent, call, stored, within);
  if (problems.length === 0) return { value: stored };
  // A program would send the same value again, so the call fails instead of waiting forever.
  if (call.question?.clientTool !== undefined)
    return {
      value: null,
      error: `The tool returned a wrong result: ${listedProblems(problems)}`,
    };
  throw answerRefused(call, problems);
}

function storable(value: unknown, callId: string): Json {
  let stored: Json;
  try {
    stored = toJson(value);
  } catch (cause) {
    const message = `The answer cannot be stored: ${messageOf(cause)}`;
    throw new PawlError("invalid_answer", message, { cause, details: { callId } });
  }
  // Not only at the door of a handler: a text in a small body may be JSON with any number of values.
  const excess = answerExcess(stored);
  if (excess === undefined) return stored;
  throw refusal("invalid_answer", `The answer cannot be stored: ${excess}.`, { callId });
}

function findQuestion(state: SessionState, callId: string, question: number | undefined): Asking {
  const call = state.calls.get(callId) ?? state.asked.get(callId);
  if (call === undefined && (question ?? 0) <= (state.earlierQuestions.get(callId) ?? -1))
    throw answered(callId);
  if (call?.question === undefined || (question ?? 0) > call.question.seq) {
    throw refusal("unknown_call", "There is no such question in this session.", { callId });
  }
  if (isHidden(call)) {
    throw refusal("unknown_call", "This call waits for a time and not for an answer.", { callId });
  }
  const over = !isWaiting(call) || openRun(state) === undefined;
  if (over || (question ?? call.question.seq) < call.question.seq) {
    throw answered(callId);
  }
  return call;
}

function answered(callId: string): PawlError {
  return refusal("already_answered", "This question has been answered already.", { callId });
}

/** Returns how a value differs from what the question's schema allows; empty if it does not. */
async function problemsWith(
  agent: Agent,
  call: Asking,
  value: Json,
  within: Within | undefined,
): Promise<readonly string[]> {
  const own = ownSchema(agent, call);
  if (own === undefined) return await problemsByLog(call.question?.answerSchema, value);
  const fit = await validate(own, value, within);
  return fit.ok ? [] : fit.problems;
}

function answerRefused(call: Asking, problems: readonly string[]): PawlError {
  const message = `The answer does not match the question's schema: ${listedProblems(problems)}`;
  const shown = isApproval(call)
    ? `${message.replace(/\.$/, "")}. Answer { approved: true } or { approved: false }.`
    : message;
  return refusal("invalid_answer", shown, { callId: call.callId, problems });
}

/**
 * Returns the tool's own schema, which may check more than JSON Schema can say. Returns `undefined` for a
 * hook's question, and if the tool is gone or has another schema now: then the schema that the user was shown
 * decides, because nobody can answer by another.
 */
function ownSchema({ tools }: Agent, { toolName, question }: Asking): Schema | undefined {
  const own = tools.get(toolName)?.suspends?.answer;
  const isOwn = question !== undefined && question.by === undefined && own !== undefined;
  return isOwn && isShown(own, question) ? own : undefined;
}

/** Returns whether a question is one of `approval()`. A common mistake is to answer it with `true`. */
function isApproval({ question }: Asking): boolean {
  const { properties } = question?.answerSchema ?? {};
  return question?.kind === "approval" && isJsonObject(properties) && Object.hasOwn(properties, "approved");
}

function refusal(code: PawlErrorCode, message: string, details: { [name: string]: unknown }): PawlError {
  return new PawlError(code, message, { details });
}
