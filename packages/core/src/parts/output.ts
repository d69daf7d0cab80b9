import type { AgentOutput } from "../agent/agent.ts";
import { clipText } from "../base/clip-text.ts";
import { messageOf } from "../base/errors.ts";
import { isJsonObject, type Json, toJson } from "../base/json.ts";
import { askedOutput } from "../context/agent-change.ts";
import type { NewEvent } from "../log/event.ts";
import type { EventData } from "../log/event-data.ts";
import { FINAL_ANSWER } from "../log/final-answer.ts";
import type { Leg } from "../loop/leg/leg.ts";
import type { JudgedAttempt, OutputVerdict } from "../loop/leg/part-types.ts";
import { validateFor } from "../loop/leg/validate-for.ts";
import { isCode } from "../model/answering.ts";
import type { ContentBlock } from "../model/content.ts";
import { listedProblems } from "../schema/problems.ts";
import { openRun } from "../session/state.ts";
import { outputsIn } from "../tools/output-in-answer.ts";

/**
 * Finds the run's output in a complete answer, in the call of `final_answer` or else in the text, and
 * validates it. After the first answer without a valid output the model is reminded; the second ends the run.
 * An output beside calls of other tools is refused, because the model has not read their results. Only for
 * agents with an `output`.
 */
export async function outputVerdict(
  leg: Leg,
  output: AgentOutput,
  attempt: JudgedAttempt,
  { content, calls }: { content: readonly ContentBlock[]; calls: EventData["tool_call"][] },
): Promise<OutputVerdict> {
  const isLandingTurn = openRun(leg.log.state)?.landing !== undefined;
  const outputCalls = calls.filter(({ tool_name }) => tool_name === FINAL_ANSWER);
  const otherCalls = calls.filter(({ tool_name }) => tool_name !== FINAL_ANSWER);
  const [outputCall, ...repeated] = outputCalls;
  const storedCalls = isLandingTurn ? otherCalls.map(withoutRunning) : otherCalls;
  // The model has not read the results of these calls yet.
  const isEarly = !isLandingTurn && otherCalls.some(({ skipped }) => skipped === undefined);
  if (outputCall === undefined) {
    const inText = attempt.asText ? { place: "text" as const } : {};
    // The calls run first; the output comes in a later answer.
    if (isEarly) return { calls, events: [], ...inText };
    // An answer that was cut off or refused has no output to judge.
    if (!isFinished(attempt)) return { calls: storedCalls, events: [], ...inText };
    return { calls: storedCalls, ...inText, ...(await judged(leg, attempt, output, content)) };
  }
  const place = "call" as const;
  if (isEarly) {
    return {
      calls: otherCalls,
      place,
      events: outputCalls.map((call) => refusedOutput(attempt, call, TOO_EARLY)),
    };
  }
  const { events, problem } = await judged(leg, attempt, output, content, outputCall);
  const surplus = repeated.map((call) => refusedOutput(attempt, call, TWICE));
  return { calls: storedCalls, place, events: [...events, ...surplus], ...(problem && { problem }) };
}

const TOO_EARLY = `Not taken: you called other tools in the same answer. Read their results, then call ${FINAL_ANSWER} alone.`;

const TWICE = `Not taken: ${FINAL_ANSWER} is called once.`;

/** Returns a call with the reason why it does not run. */
function withoutRunning(call: EventData["tool_call"]): EventData["tool_call"] {
  return { ...call, invalid: "Not run: this was your last turn.", skipped: "surplus" };
}

/** Returns whether the model ended its answer by itself. */
function isFinished({ answer: { stopReason } }: JudgedAttempt): boolean {
  return stopReason === "end_turn" || stopReason === "stop_sequence" || stopReason === "tool_use";
}

/** Returns the event that refuses the output of a call of `final_answer`. */
function refusedOutput(
  { seq }: JudgedAttempt,
  { call_id }: EventData["tool_call"],
  problem: string,
): NewEvent {
  return { type: "output", data: { attempt: seq, problem, call_id } };
}

/**
 * Validates the output in a call of `final_answer`, or without a `call`, in the content. Returns the event
 * that stores it, the event that reminds the model, or the problem that ends the run.
 */
async function judged(
  leg: Leg,
  attempt: JudgedAttempt,
  output: AgentOutput,
  content: readonly ContentBlock[],
  call?: EventData["tool_call"],
): Promise<Pick<OutputVerdict, "events" | "problem" | "place">> {
  const found =
    call?.invalid === undefined ? outputsIn(call === undefined ? content : [blockOf(call)], output) : [];
  const checked = await firstValid(leg, output, found);
  const data = { attempt: attempt.seq, ...(call && { call_id: call.call_id }) };
  if ("value" in checked) {
    const place = call === undefined ? { place: "text" as const } : {};
    return { events: [{ type: "output", data: { ...data, value: checked.value } }], ...place };
  }
  const reason = checked.problem ?? call?.invalid ?? NO_JSON;
  // A schema that throws and an answer that code gives would fail again.
  const isHopeless = "cause" in checked || isCode(attempt.request.model);
  const problem = reason + requestToRetry(leg, attempt, output);
  if (!isHopeless && openRun(leg.log.state)?.reminded !== true)
    return { events: [{ type: "output", data: { ...data, problem, reminder: true } }] };
  if ("cause" in checked) leg.report.failed(checked.cause);
  const message = `The model's output is not valid: ${reason}`;
  const events: NewEvent[] =
    call === undefined ? [] : [{ type: "output", data: { ...data, problem: reason } }];
  return { events, problem: { code: "invalid_output", message } };
}

/** Returns a call as a content block. */
function blockOf({ call_id, tool_name, arguments: input }: EventData["tool_call"]): ContentBlock {
  return { type: "tool_use", id: call_id, name: tool_name, input: isJsonObject(input) ? input : {} };
}

const NO_JSON = "Your answer has no output: it is not JSON.";

const UNCHECKED = "Your output was not checked: the run was stopped or ran out of time.";

/** A valid value, or the problem with it. `problem` is `undefined` if there was no value at all. */
type Checked = { value: Json } | { problem: string | undefined; cause?: unknown };

/**
 * Returns the first of the values that matches the schema, or else the problems of the first value. `cause`
 * is the error of a schema that threw.
 */
async function firstValid(leg: Leg, schema: AgentOutput, values: readonly Json[]): Promise<Checked> {
  let problems: string[] | undefined;
  try {
    for (const value of values) {
      const checked = await validateFor(leg, schema, value);
      if (checked.ok) return { value: toJson(checked.value) };
      problems ??= checked.problems;
    }
  } catch (cause) {
    if (leg.life.signal.aborted) return { problem: UNCHECKED };
    return { problem: `The schema of \`output\` failed: ${messageOf(cause)}`, cause };
  }
  if (problems === undefined) return { problem: undefined };
  return { problem: `Your output does not match the schema: ${listedProblems(problems)}` };
}

/**
 * Returns the text that asks for another answer. It has the schema if the model's request did not have it.
 */
function requestToRetry(leg: Leg, attempt: JudgedAttempt, output: AgentOutput): string {
  if (askedOutput(leg.log.state, output) === "call") return `\nCall ${FINAL_ANSWER} with the whole output.`;
  if (attempt.asText) return "\nAnswer again with the whole output.";
  const schema = clipText(JSON.stringify(output.spec.input_schema), 20_000);
  return `\nAnswer again, with nothing but JSON that matches this JSON Schema: ${schema}`;
}
