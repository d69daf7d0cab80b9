import type { Json } from "../../base/json.ts";
import { shortenedFieldIn } from "../../context/shorten-input.ts";
import type { Consent } from "../../log/consent.ts";
import type { NewEvent } from "../../log/event.ts";
import type { EventData } from "../../log/event-data.ts";
import type { SkipReason } from "../../log/event-parts.ts";
import { resultEvent } from "../../session/close-calls.ts";
import { type CallState, openRun } from "../../session/state.ts";
import { remainingOf } from "../../stop/limits.ts";
import type { TaskAgent } from "../../tools/run-agent-types.ts";
import type { Delegate, Tool } from "../../tools/tool.ts";
import { screenCall } from "../hooks/tool-hooks.ts";
import type { EditedCall } from "../leg/edit-types.ts";
import type { Leg } from "../leg/leg.ts";
import type { CallInput, KnownOfCall } from "../leg/part-types.ts";
import { validateAnswer, validateFor } from "../leg/validate-for.ts";
import { successResult } from "./call-result.ts";
import { clientResult } from "./client-result.ts";
import { type CallFacts, type CallStep, decideCall, type WantedFact, wasGiven } from "./decide-call.ts";

/** The next step of a call: store events, or run the tool. */
export type Prepared = { do: "store"; events: NewEvent[] } | Runnable;

/** A call that may run. `changed` is the input as JSON, if hooks have changed it. */
export interface Runnable extends CallInput {
  do: "run";
  call: CallState;
  tool: Tool;
  /** The sub-agent that does the work, for a tool made by `agentTool()`. */
  agent?: TaskAgent;
  answer: unknown;
  /** What runs, if a question has let the call run. */
  about?: Consent;
}

/** Finds out whether a call may run, must wait for an answer, or is answered without running. */
export async function prepareCall(leg: Leg, call: CallState): Promise<Prepared> {
  const tool = leg.run.agent.tools.get(call.toolName) as Tool | undefined;
  let facts: CallFacts = { tool: undefined };
  if (tool !== undefined && wasGiven(leg, call))
    facts = {
      tool,
      notAgain: call.started && (await leg.parts.load()).whyNotAgain(call, tool),
      refusal: call.invalid ?? refusalOf(leg, call) ?? shortenedInputRefusal(call, tool),
    };
  const prepare = async (one: CallState, known: KnownOfCall) =>
    await prepareWith(leg, one, { ...facts, ...known });
  if (tool === undefined || call.about === undefined || (facts.notAgain ?? facts.refusal) !== undefined)
    return await prepare(call, {});
  return await (await leg.parts.load()).prepareAsked(leg, call, tool, prepare);
}

/** Decides about a call step by step. */
async function prepareWith(leg: Leg, call: CallState, facts: CallFacts): Promise<Prepared> {
  const tool = facts.tool as Tool;
  for (;;) {
    const step = decideCall(call, facts);
    if (step.do === "run") return { ...step, call, tool };
    if (step.do === "leave") return { do: "store", events: [] };
    if (step.do !== "find_out") {
      const event = await eventOf(leg, call, tool, step);
      const isResult = step.do === "take_answer" || step.do === "take_page_result";
      return {
        do: "store",
        events: isResult ? [event, ...(await notesOn(leg, [{ ...step, call, tool }]))] : [event],
      };
    }
    facts = { ...facts, [step.fact]: await findOut(leg, call, tool, step) };
  }
}

/** Returns the notes by which the model learns what hooks have changed in the inputs of these calls. */
// Not async: most calls need no note.
export function notesOn(leg: Leg, calls: readonly EditedCall[]): readonly NewEvent[] | Promise<NewEvent[]> {
  const edited = calls.filter(({ inputFor, call }) => inputFor !== undefined && call.started === undefined);
  return edited.length === 0 ? NO_NOTES : leg.parts.load().then(({ editNotes }) => editNotes(leg, edited));
}

const NO_NOTES: readonly NewEvent[] = [];

/** Finds out one fact: calls code of the application, or loads code that few runs need. */
// Not async, to save a promise: each tool call needs it twice.
function findOut(
  leg: Leg,
  call: CallState,
  tool: Tool,
  { fact, callInput }: WantedFact,
): Promise<CallFacts[WantedFact["fact"]]> {
  switch (fact) {
    case "input":
      return validateFor(leg, tool.input, callInput.changed ?? call.arguments);
    case "screened":
      return screenCall(leg, call, tool, callInput);
    case "asked":
      return leg.parts.load().then(({ hasAsked }) => hasAsked(call));
    case "chosen":
      return leg.parts
        .load()
        .then(({ chooseAgent }) => chooseAgent(leg, tool.delegate as Delegate, call, callInput.input));
    case "answer":
      // The database itself may have stored the answer. It does not check schemas.
      return tool.suspends && !call.question?.midway
        ? validateAnswer(leg, tool.suspends.answer, call)
        : leg.parts.load().then(({ validateMidwayAnswer }) => validateMidwayAnswer(call));
  }
}

/** Returns the event of a step that answers the call, or asks the user. */
async function eventOf(
  leg: Leg,
  call: CallState,
  tool: Tool,
  step: Exclude<CallStep, { do: "find_out" | "run" | "leave" }>,
): Promise<NewEvent> {
  switch (step.do) {
    case "answer":
      return callResult(call, true, step.result, step.skipped);
    case "ask":
    case "ask_for_tool":
      return await (await leg.parts.load()).callQuestion(leg, call, tool, step);
    case "take_page_result": {
      const asks = tool.suspends as NonNullable<Tool["suspends"]>;
      return await clientResult(leg, { call, tool, input: step.input, asks });
    }
    case "take_answer":
      return await successResult(leg, { call, tool }, step.answer);
    case "refuse":
      return callResult(call, false, step.why, step.skipped);
    default:
      return callResult(call, false, (await leg.parts.load()).refusalText(leg, call, tool, step));
  }
}

/**
 * Returns why a call must not run: the limit of tool calls is reached, the turn's plan does not allow the
 * tool, or this is the landing turn. Otherwise `undefined`.
 */
function refusalOf({ log, life, run: { agent } }: Leg, call: CallState): string | undefined {
  const run = openRun(log.state);
  if (run === undefined || call.started !== undefined) return undefined;
  const { amounts } = remainingOf(log.state, agent, life.legMs());
  // The state counts all calls of the turn. Those after this one do not count against it.
  const callsAfter = run.calls.length - 1 - run.calls.indexOf(call);
  if (amounts.toolCalls + callsAfter < 0) return "Not run: the limit of tool calls is reached.";
  const allowed = run.landing === undefined ? run.turn?.tools : [];
  if (allowed === undefined || allowed.includes(call.toolName)) return undefined;
  return `"${call.toolName}" cannot be used now${allowed.length === 0 ? "." : `, only ${allowed.join(", ")}.`}`;
}

/** Returns why a call that repeats the note of a shortened text is refused; otherwise `undefined`. */
function shortenedInputRefusal(call: CallState, tool: Tool): string | undefined {
  const field = shortenedFieldIn(call.arguments, tool.shortenInput);
  return field === undefined
    ? undefined
    : `"${field}" contains only the note that replaced an earlier text. Send the whole text.`;
}

function callResult(call: CallState, success: boolean, result: Json, skipped?: SkipReason): NewEvent {
  return resultEvent(call, success, result, { data: skipped === undefined ? {} : { skipped } });
}

/** Returns the fields of an event with an input that hooks have changed. */
export function changedInput({
  changed,
  inputFor,
}: CallInput): Pick<EventData["tool_started"], "input" | "input_for"> {
  return { ...(changed !== undefined && { input: changed }), ...(inputFor && { input_for: inputFor }) };
}
