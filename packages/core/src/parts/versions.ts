import { isEqualJson } from "../base/json.ts";
import { sentInputSchema } from "../context/agent-change.ts";
import type { ConsentPart } from "../log/consent.ts";
import type { Leg } from "../loop/leg/leg.ts";
import type { CallRefusal } from "../loop/leg/part-types.ts";
import { wasGiven } from "../loop/tools/decide-call.ts";
import { listedProblems } from "../schema/problems.ts";
import type { Schema } from "../schema/schema.ts";
import { answerSentence, outcomeUnknown } from "../session/close-calls.ts";
import { type CallState, openRun } from "../session/state.ts";
import { isShown } from "../tools/problems-by-log.ts";
import type { Tool } from "../tools/tool.ts";
import { inputMismatch } from "../tools/tool-outcome.ts";

// Results of calls that were made under another version of the agent. docs/guide/deployment.md has these
// rules as a table.

const CUT_OFF = "the process was cut off while it ran";

/** The end of the result of a call that cannot continue after a question of its tool or its sub-agent. */
const NOT_FINISHED = "The call was not finished. What it had done before its question may have taken effect.";

/** Returns the result, for the model, of a call that is refused. */
export function refusalText(leg: Leg, call: CallState, tool: Tool, step: CallRefusal): string {
  switch (step.do) {
    case "refuse_missing":
      return missingToolText(leg, call);
    case "refuse_unasked":
      return noLongerAsks(call);
    case "refuse_input":
      return wrongInput(leg, call, tool, step.problems);
    case "refuse_answer":
      return wrongAnswer(call, tool.suspends?.answer, step.problems);
  }
}

/** Returns the result of a call of a tool that the agent does not have, or that the model was not given. */
function missingToolText(leg: Leg, call: CallState): string {
  const { toolName: name, started, running } = call;
  if (!wasGiven(leg, call)) return `There is no tool named "${name}".`;
  const sentence = `tool "${name}" ${goneFrom(leg)}`;
  if (running) return `${outcomeUnknown(`${CUT_OFF}, and the ${sentence}`)}${answerSentence(call)}`;
  // A call that was started and is not running waits for the answer to its question.
  const unfinished = started === undefined ? "" : ` ${NOT_FINISHED}`;
  return `The ${sentence}${unfinished}${answerSentence(call)}`;
}

/** Returns the end of the sentence "The tool … was removed …". */
function goneFrom({ log, run: { agent } }: Leg): string {
  // The function may have left the tool out for this caller only.
  if (agent.toolsFor !== undefined) return "is not available any more.";
  const isOther = openRun(log.state)?.agentVersion !== agent.version;
  return `was removed ${isOther ? `in version ${agent.version} of` : "from"} this agent.`;
}

/**
 * Returns the result of a call that was started and must not run again; `undefined` if it has not started or
 * may run again.
 */
export function whyNotAgain(call: CallState, tool: Tool): string | undefined {
  const { started, running } = call;
  if (started === undefined) return undefined;
  const isTask = tool.delegate !== undefined;
  const wasTask = started.slice !== undefined;
  const asksFirst = tool.suspends !== undefined;
  const hasChanged = isTask !== wasTask || asksFirst !== hasAsked(call);
  if (!running) return hasChanged ? changedSinceAsked(call) : undefined;
  if (!tool.idempotent || started.once) return outcomeUnknown(`${CUT_OFF}.`);
  return hasChanged ? changedWhileRunning(call) : undefined;
}

/** Returns the result of a call that was running when its process died, and whose tool has changed. */
function changedWhileRunning(call: CallState): string {
  return `${outcomeUnknown(`${CUT_OFF}, and the tool has changed since.`)}${answerSentence(call)}`;
}

/** Returns the result of a call that has asked the user since it started, but whose tool has changed. */
function changedSinceAsked(call: CallState): string {
  return `This tool has changed since its question was asked. ${NOT_FINISHED}${answerSentence(call)}`;
}

/** Returns whether the call's tool itself has asked the user before it ran, by `suspends`. */
export function hasAsked({ question }: CallState): boolean {
  if (question === undefined || question.midway) return false;
  return question.by === undefined && question.child === undefined;
}

/** Returns the result of a call whose input its tool does not accept. */
function wrongInput(
  { log }: Leg,
  call: CallState,
  { name, spec }: Tool,
  problems: readonly string[],
): string {
  const message = inputMismatch(problems);
  const sent = sentInputSchema(log.state, name);
  if (sent === undefined || isEqualJson(sent, spec.input_schema)) return message;
  if (call.running) return changedWhileRunning(call);
  if (call.started !== undefined) return changedSinceAsked(call);
  return `${message}. This tool has changed since you were given it. Its input must now match this schema: ${JSON.stringify(spec.input_schema)}`;
}

/** Returns the result of a call whose answer the tool does not accept. */
export function wrongAnswer(
  call: CallState,
  schema: Schema | undefined,
  problems: readonly string[],
): string {
  const problem = listedProblems(problems);
  const { question } = call;
  // A question that the tool asked while it ran has its own schema, so the tool's `suspends` does not matter.
  if (schema === undefined || question === undefined || question.midway || isShown(schema, question)) {
    return `The answer does not match its schema: ${problem}`;
  }
  const why = `this tool's question has changed since the user was asked, and the answer does not match it any more: ${problem}`;
  if (call.started !== undefined) return outcomeUnknown(`${CUT_OFF}, and ${why}`);
  return `Not run: ${why}. Call the tool again to ask again.${answerSentence(call)}`;
}

/** Returns the result of a call that was answered, but whose tool does not ask any more. */
function noLongerAsks(call: CallState): string {
  return `Not run: this tool has changed and no longer asks the user. Call it again if it is still needed.${answerSentence(call)}`;
}

/** Returns the result of a call that is not what the user has consented to, if nobody asks again. */
export function changedSinceConsent(call: CallState, changes: readonly ConsentPart[]): string {
  if (call.running) return changedWhileRunning(call);
  if (call.started !== undefined) return changedSinceAsked(call);
  return `Not run: this call is not what the user was asked about any more (${changes.join(", ")}). Call the tool again if it is still needed.${answerSentence(call)}`;
}
