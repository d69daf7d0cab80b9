import { isWhenBusy } from "../../agent/check-agent.ts";
import { PawlError } from "../../base/errors.ts";
import { isJsonObject } from "../../base/json.ts";
import { isBlank } from "../../base/text.ts";
import { USER_DATA } from "../../context/prefix.ts";
import type { Knowledge, RetryRunOptions, RunOptions } from "./runtime-types.ts";

/**
 * Checks what a run is asked with, for those who write JavaScript or hand JSON on: the log would keep it for
 * good.
 *
 * @throws PawlError `invalid_input`
 */
export function checkRunOptions(options: RunOptions | RetryRunOptions): void {
  const { input, answers, retry } = options;
  const asked = [input, answers, retry].filter((one) => one !== undefined);
  if (asked.length !== 1) throw invalid("Send either a message or answers, or name the run to retry.");
  if (retry === undefined) checkAsked(options);
  else if (typeof retry !== "string") throw invalid("`retry` must be the id of the run that failed.");
}

function checkAsked({ input, answers, knowledge, params, metadata, whenBusy }: RunOptions): void {
  if (input !== undefined && typeof input !== "string") throw invalid("The message is no text.");
  if (input !== undefined && isBlank(input)) throw invalid("The message is empty.");
  if (answers !== undefined) {
    if (!Array.isArray(answers)) throw invalid("The answers are no list.");
    if (answers.length === 0) throw invalid("There is no answer in this request.");
    if (!answers.every((answer) => typeof answer?.callId === "string"))
      throw invalid("An answer names its call.");
  }
  if (knowledge !== undefined && !Array.isArray(knowledge)) throw invalid("Knowledge is a list.");
  for (const [what, value] of Object.entries({ params, metadata })) {
    if (value !== undefined && !isJsonObject(value)) throw invalid(`"${what}" is no object.`);
  }
  if (whenBusy !== undefined && !isWhenBusy(whenBusy))
    throw invalid('`whenBusy` must be "reject", "queue" or "interrupt".');
}

/** @throws PawlError `invalid_input` */
export function checkedKnowledge(knowledge: Knowledge): Knowledge {
  if (!isJsonObject(knowledge)) throw invalid("Knowledge has a source and says something.");
  const { source, data, params } = knowledge;
  if (typeof source !== "string" || isBlank(source) || source === USER_DATA)
    throw invalid(`Knowledge needs a source of its own, not "${source}".`);
  if (typeof data !== "string") throw invalid(`What "${source}" says is no text.`);
  return { source: source.toWellFormed(), data: data.toWellFormed(), ...(params && { params }) };
}

function invalid(message: string): PawlError {
  return new PawlError("invalid_input", message);
}
