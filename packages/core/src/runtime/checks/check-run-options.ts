import { checkOptions, kindOf, type OptionKinds, oneOf, SIGNAL } from "../../base/check-options.ts";
import { PawlError } from "../../base/errors.ts";
import { hintsFor } from "../../base/hints-for.ts";
import { isJsonObject } from "../../base/json.ts";
import { storableObject } from "../../base/json-loss.ts";
import { isBlank } from "../../base/text.ts";
import { USER_DATA } from "../../context/prefix.ts";
import { isOwnTag } from "../../context/sanitize.ts";
import type { Answer, Knowledge, RetryRunOptions, RunOptions } from "../begin/run-options.ts";

const OPTIONS: OptionKinds<Omit<RunOptions, "retry"> & { retry?: string }> = {
  userId: "string!",
  sessionId: "string",
  input: "any",
  answers: "any",
  retry: "any",
  knowledge: "any",
  params: "any",
  caller: "any",
  credentials: "any",
  clientMessageId: "string",
  signal: SIGNAL,
  clientTools: "any",
  metadata: "any",
  whenBusy: oneOf("reject", "queue", "interrupt"),
};

/**
 * Checks the options of a run. They may come from JavaScript or from a client's JSON, and an invalid value
 * would stay in the log forever.
 *
 * @throws PawlError `invalid_input` with the name of the invalid option
 */
export function checkRunOptions(options: RunOptions | RetryRunOptions): void {
  checkOptions("run()", options, OPTIONS, { instead: hintsFor("run"), code: "invalid_input" });
  const { userId, input, answers, retry, caller } = options;
  if (userId === "") throw invalid("`userId` of run() is empty.");
  if (caller !== undefined) storableObject(caller, "caller");
  const actions = Object.entries({ input, answers, retry }).filter(([, value]) => value !== undefined);
  if (actions.length === 0)
    throw invalid(
      "run() needs one of `input` (the text of a message), `answers` and `retry` (the id of a run); all are undefined.",
    );
  if (actions.length > 1) {
    const names = actions.map(([name]) => `\`${name}\``).join(" and ");
    throw invalid(`run() takes only one of \`input\`, \`answers\` and \`retry\`; got ${names}.`);
  }
  if (retry === undefined) checkContent(options);
  else if (typeof retry !== "string")
    throw invalid(`\`retry\` of run() must be the id of the run that failed; got ${kindOf(retry)}.`);
}

/** Checks the message or the answers of a run that is no retry, and the data that come with them. */
function checkContent({ input, answers, knowledge, params, metadata }: RunOptions): void {
  if (input !== undefined && typeof input !== "string" && !Array.isArray(input))
    throw invalid(
      `\`input\` of run() must be the text of the new message, e.g. "Hello", or a list of parts; got ${kindOf(input)}.`,
    );
  if (typeof input === "string" && isBlank(input))
    throw invalid("The message is empty: `input` of run() needs visible text.");
  if (answers !== undefined) {
    if (!Array.isArray(answers))
      throw invalid(`\`answers\` of run() must be a list, e.g. [{ callId, value }]; got ${kindOf(answers)}.`);
    if (answers.length === 0) throw invalid("`answers` must have at least one answer.");
    for (const [index, answer] of answers.entries()) checkAnswer(`\`answers[${index}]\``, answer);
  }
  if (knowledge !== undefined && !Array.isArray(knowledge)) throw invalid("`knowledge` must be a list.");
  for (const [name, value] of Object.entries({ params, metadata }))
    if (value !== undefined) storableObject(value, name);
}

const ANSWER: OptionKinds<{ [Field in keyof Answer]: unknown }> = {
  callId: "string!",
  question: "any",
  value: "any",
  error: "any",
};

/** Hints for field names that other libraries use, and for `seq`, a field of the question. */
const INSTEAD_IN_ANSWER = {
  id: "Use `callId`.",
  toolCallId: "Use `callId`.",
  questionId: "Use `callId`.",
  answer: "Use `value`.",
  result: "Use `value`.",
  seq: "Use `question`.",
};

/**
 * Checks that an answer has a `callId`. Unknown fields are accepted beside it, because an application may
 * spread a question into the answer. `owner` is for the message.
 */
function checkAnswer(owner: string, answer: unknown): void {
  if (typeof Object(answer).callId === "string") return;
  checkOptions(owner, answer, ANSWER, { instead: INSTEAD_IN_ANSWER, code: "invalid_input" });
}

/** Checks a piece of knowledge, and returns it as it is stored. @throws PawlError `invalid_input` */
export function checkedKnowledge(knowledge: Knowledge): Knowledge {
  if (!isJsonObject(knowledge))
    throw invalid("Each piece of `knowledge` must be an object with `source` and `data`.");
  const { source, data, params, tag } = knowledge;
  if (typeof source !== "string" || isBlank(source) || source === USER_DATA)
    throw invalid(
      `The \`source\` of knowledge must be a string that is neither empty nor "${USER_DATA}"; got "${source}".`,
    );
  if (typeof data !== "string") throw invalid(`The \`data\` of knowledge from "${source}" must be a string.`);
  if (tag !== undefined && !isOwnTag(tag))
    throw invalid(
      `The \`tag\` of knowledge from "${source}" must be the name of a tag, e.g. "Clarifications".`,
    );
  return {
    source: source.toWellFormed(),
    data: data.toWellFormed(),
    ...(params && { params: storableObject(params, "knowledge.params") }),
    ...(tag !== undefined && { tag }),
  };
}

function invalid(message: string): PawlError {
  return new PawlError("invalid_input", message);
}
