import { type Json, toJson } from "../../base/json.ts";
import { shortenedFieldIn } from "../../context/shorten-input.ts";
import type { Ask } from "../../hooks/hook.ts";
import type { Leg } from "../../leg/leg.ts";
import type { NewEvent } from "../../log/event.ts";
import type { SkipReason } from "../../log/event-parts.ts";
import { questionEvent, resultEvent } from "../../session/close-calls.ts";
import { type CallState, openRun } from "../../session/state.ts";
import { remainingOf } from "../../stop/limits.ts";
import { type Expiry, storedExpiry } from "../../tools/expiry.ts";
import { listedProblems } from "../../tools/problems.ts";
import { toJsonSchema } from "../../tools/to-json-schema.ts";
import type { TaskAgent, Tool } from "../../tools/tool.ts";
import { type CallInput, screenCall } from "../hooks/tool-hooks.ts";
import { seldomUsed } from "../seldom/seldom-used.ts";
import { validateAnswer, validateFor } from "../seldom/validate-for.ts";
import { wasGiven } from "../seldom/was-given.ts";
import { successResult } from "./call-result.ts";
import { clientResult } from "./client-result.ts";

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
}

/** Decides whether a call may run, must wait for an answer, or is answered without running. */
export async function prepareCall(leg: Leg, call: CallState): Promise<Prepared> {
  const tool = leg.agent.tools.get(call.toolName) as Tool | undefined;
  if (tool === undefined || !wasGiven(leg, call))
    return refuse(call, (await seldomUsed()).missingTool(leg, call));
  const notAgain = call.started === undefined ? undefined : (await seldomUsed()).whyNotAgain(call, tool);
  if (notAgain !== undefined) return refuse(call, notAgain);
  const why = call.invalid ?? refusalReason(leg, call) ?? repeatsShortenedInput(call, tool);
  if (why !== undefined) return refuse(call, why, call.skipped);
  const changed = call.started?.input ?? call.question?.input;
  const input = await validateFor(leg, tool.input, changed ?? call.arguments);
  if (!input.ok) return refuse(call, (await seldomUsed()).wrongInput(leg, call, tool, input.problems));
  const given = { input: input.value, changed };
  // The tool asks its own question after all hooks have agreed, and a started call has passed all checks. So
  // no hook is called here again.
  const screened =
    call.started !== undefined || (call.question !== undefined && call.question.by === undefined);
  return screened ? await runOrAnswer(leg, call, tool, given) : await askBeforeTool(leg, call, tool, given);
}

/**
 * Returns why a call must not run: the limit of tool calls is reached, or the turn's plan does not allow the
 * tool. Otherwise `undefined`.
 */
function refusalReason({ log, agent, life }: Leg, call: CallState): string | undefined {
  const run = openRun(log.state);
  if (run === undefined || call.started !== undefined) return undefined;
  const { amounts } = remainingOf(log.state, agent, life.legMs());
  const behind = run.calls.length - 1 - run.calls.indexOf(call);
  if (amounts.toolCalls + behind < 0) return "Not run: the limit of tool calls is reached.";
  const allowed = run.landing === undefined ? run.turn?.tools : [];
  if (allowed === undefined || allowed.includes(call.toolName)) return undefined;
  return `"${call.toolName}" cannot be used now${allowed.length === 0 ? "." : `, only ${allowed.join(", ")}.`}`;
}

function repeatsShortenedInput(call: CallState, tool: Tool): string | undefined {
  const field = shortenedFieldIn(call.arguments, tool.shortenInput);
  return field === undefined
    ? undefined
    : `"${field}" contains only the note that replaced an earlier text. Send the whole text.`;
}

/** Calls the `beforeTool` hooks and returns the next step. */
async function askBeforeTool(leg: Leg, call: CallState, tool: Tool, given: CallInput): Promise<Prepared> {
  const screened = await screenCall(leg, call, tool, given);
  switch (screened.do) {
    case "leave":
      return { do: "store", events: [] };
    case "deny":
      return refuse(call, screened.why);
    case "answer": {
      const { result, skipped } = screened;
      const data = skipped === undefined ? {} : { skipped };
      return { do: "store", events: [resultEvent(call, true, result, { data })] };
    }
    case "ask":
      return ask(call, { ...screened.ask, by: screened.by, changed: screened.changed });
    case "run": {
      if (tool.suspends === undefined) return await runOrAnswer(leg, call, tool, screened);
      const { answer, kind = tool.name, payload, expires } = tool.suspends;
      const shown = toJson(payload === undefined ? screened.input : payload(screened.input));
      const clientTool = tool.runsIn && tool.name;
      return ask(call, { kind, payload: shown, answer, expires, changed: screened.changed, clientTool });
    }
  }
}

/**
 * Returns the next step of a call that has passed all checks: run the tool, or store the user's answer as its
 * result.
 */
async function runOrAnswer(
  leg: Leg,
  call: CallState,
  tool: Tool,
  { input, changed }: CallInput,
): Promise<Prepared> {
  if (call.question?.midway) return await continueCall(call, tool, { input, changed });
  if (tool.suspends === undefined) {
    if (call.question !== undefined) {
      const { hasAsked, noLongerAsks } = await seldomUsed();
      if (hasAsked(call)) return refuse(call, noLongerAsks(call));
    }
    if (tool.delegate === undefined) return { do: "run", call, tool, input, changed, answer: undefined };
    const { chooseAgent } = await seldomUsed();
    const chosen = await chooseAgent(leg, tool.delegate, call, input);
    if ("why" in chosen) return refuse(call, chosen.why);
    return { do: "run", call, tool, agent: chosen.agent, input, changed, answer: undefined };
  }
  if (tool.runsIn === "client")
    return { do: "store", events: [await clientResult(leg, { call, tool, input, asks: tool.suspends })] };
  if (call.answer?.error !== undefined) return refuse(call, call.answer.error);
  const answer = await validateAnswer(leg, tool.suspends.answer, call);
  if (!answer.ok)
    return refuse(call, (await seldomUsed()).wrongAnswer(call, tool.suspends.answer, answer.problems));
  if (tool.execute !== undefined) return { do: "run", call, tool, input, changed, answer: answer.value };
  return { do: "store", events: [successResult(call, tool, answer.value)] };
}

/** Returns the next step of a call whose tool has asked while it ran: run it again, with the answer. */
async function continueCall(call: CallState, tool: Tool, given: CallInput): Promise<Prepared> {
  if (call.answer?.error !== undefined) return refuse(call, call.answer.error);
  // The database may have stored the answer itself, and it does not check schemas.
  const { answerProblems } = await seldomUsed();
  const problems = await answerProblems(call);
  if (problems.length > 0)
    return refuse(call, `The answer does not match its schema: ${listedProblems(problems)}`);
  return { do: "run", call, tool, ...given, answer: undefined };
}

function refuse(call: CallState, why: string, skipped?: SkipReason): Prepared {
  const data = skipped === undefined ? {} : { skipped };
  return { do: "store", events: [resultEvent(call, false, why, { data })] };
}

function ask(
  call: CallState,
  asked: Pick<Ask, "kind" | "answer"> & {
    payload: Json;
    expires?: Expiry | undefined;
    by?: string;
    changed: Json | undefined;
    clientTool?: string | undefined;
  },
): Prepared {
  const { kind, payload, answer, expires, by, changed, clientTool } = asked;
  const event = questionEvent(call, {
    kind,
    payload,
    answer_schema: toJsonSchema(answer, `answers to "${kind}"`),
    ...(by !== undefined && { by }),
    ...(changed !== undefined && { input: changed }),
    ...(expires !== undefined && { expires: storedExpiry(`"${call.toolName}"`, expires, answer) }),
    ...(clientTool !== undefined && { client_tool: clientTool }),
  });
  return { do: "store", events: [event] };
}
