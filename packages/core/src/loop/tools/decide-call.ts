import { sentInputSchema } from "../../context/agent-change.ts";
import type { SkipReason } from "../../log/event-parts.ts";
import type { Validated } from "../../schema/schema.ts";
import type { CallState } from "../../session/state.ts";
import type { TaskAgent } from "../../tools/run-agent-types.ts";
import type { Tool } from "../../tools/tool.ts";
import type { Leg } from "../leg/leg.ts";
import type { CallInput, CallRefusal, HookDecision } from "../leg/part-types.ts";

/** The known facts about a call. A fact is `undefined` if it was not found out yet, or does not apply. */
export interface CallFacts {
  /** The agent's tool; `undefined` if the agent does not have it, or the model was not given it. */
  readonly tool: Tool | undefined;
  /** Why the call cannot run again, e.g. because its process was cut off. */
  readonly notAgain?: string | undefined;
  /** Why the call is refused before its input is validated. */
  readonly refusal?: string | undefined;
  /** The call's input, validated by the tool's schema. */
  readonly input?: Validated<unknown>;
  /** The decision of the `beforeTool` hooks. */
  readonly screened?: HookDecision;
  /** Whether an earlier version of the tool has asked the user. Found out if the tool does not ask now. */
  readonly asked?: boolean;
  /** The sub-agent for the call, or why it has no sub-agent. */
  readonly chosen?: { agent: TaskAgent } | { why: string };
  /** The user's answer, validated by the question's schema. */
  readonly answer?: Validated<unknown>;
}

/** A fact to find out next, and the call's input so far. */
export interface WantedFact {
  fact: "input" | "screened" | "asked" | "chosen" | "answer";
  callInput: CallInput;
}

/** The next step of a call. */
export type CallStep =
  /** Finds out something, then decides again. */
  | ({ do: "find_out" } & WantedFact)
  | { do: "refuse"; why: string; skipped?: SkipReason | undefined }
  | CallRefusal
  /** Leaves the call as it is, because the run was stopped. */
  | { do: "leave" }
  | Extract<HookDecision, { do: "answer" | "ask" }>
  /** Asks the question that the tool asks the user before it runs. */
  | ({ do: "ask_for_tool" } & CallInput)
  | ({ do: "run"; answer: unknown; agent?: TaskAgent } & CallInput)
  /** Stores the result that the page has sent. */
  | ({ do: "take_page_result" } & CallInput)
  /** Stores the user's answer as the result. */
  | ({ do: "take_answer"; answer: unknown } & CallInput);

/**
 * Decides the next step of a call, from the log and the known facts. A pure function. Its lines are in the
 * order of the checks: Is the tool missing? Must the call not run again? Is it refused? Is its input valid?
 * Do the hooks agree? Does the tool ask? Then the call runs.
 */
export function decideCall(call: CallState, facts: CallFacts): CallStep {
  const { tool, notAgain, refusal, input } = facts;
  if (tool === undefined) return { do: "refuse_missing" };
  const reason = notAgain ?? refusal;
  if (reason !== undefined) return { do: "refuse", why: reason, skipped: call.skipped };
  // Hooks may have changed the input before the call had to wait.
  const { input: changed, inputFor } = call.started ?? call.question ?? {};
  if (input === undefined) return { do: "find_out", fact: "input", callInput: { input, changed } };
  if (!input.ok) return { do: "refuse_input", problems: input.problems };
  const callInput = { input: input.value, changed, inputFor };
  if (hasPassedHooks(call)) return afterHooks(call, tool, callInput, facts);
  const { screened } = facts;
  if (screened === undefined) return { do: "find_out", fact: "screened", callInput };
  if (screened.do === "deny") return { do: "refuse", why: screened.why };
  if (screened.do !== "run") return screened;
  const { do: _, ...agreed } = screened;
  return tool.suspends === undefined
    ? afterHooks(call, tool, agreed, facts)
    : { do: "ask_for_tool", ...agreed };
}

/**
 * Returns whether the hooks have agreed before, so that they are not called again. They agree before a call
 * starts, and before its tool asks a question of its own.
 */
function hasPassedHooks({ started, question }: CallState): boolean {
  return started !== undefined || (question !== undefined && question.by === undefined);
}

/** Decides for a call to which the hooks have agreed. */
function afterHooks(call: CallState, tool: Tool, callInput: CallInput, facts: CallFacts): CallStep {
  return tool.suspends === undefined && !call.question?.midway
    ? withoutQuestion(call, tool, callInput, facts)
    : afterAnswer(call, tool, callInput, facts);
}

/** Decides for a tool that asks nobody before it runs. If its earlier version has asked, refuses the call. */
function withoutQuestion(
  call: CallState,
  tool: Tool,
  callInput: CallInput,
  { asked, chosen }: CallFacts,
): CallStep {
  // The question may be a hook's. Only the log says whether an earlier version of the tool asked it.
  if (call.question !== undefined && asked === undefined) return { do: "find_out", fact: "asked", callInput };
  if (asked === true) return { do: "refuse_unasked" };
  if (tool.delegate === undefined) return { do: "run", ...callInput, answer: undefined };
  // A sub-agent does the work. Which one may depend on the input.
  if (chosen === undefined) return { do: "find_out", fact: "chosen", callInput };
  if ("why" in chosen) return { do: "refuse", why: chosen.why };
  return { do: "run", ...callInput, agent: chosen.agent, answer: undefined };
}

/** Decides for a tool whose question was answered. A tool that has asked while it ran runs again. */
function afterAnswer(call: CallState, tool: Tool, callInput: CallInput, { answer }: CallFacts): CallStep {
  const isMidway = call.question?.midway === true;
  if (tool.runsIn === "client" && !isMidway) return { do: "take_page_result", ...callInput };
  if (call.answer?.error !== undefined) return { do: "refuse", why: call.answer.error };
  if (answer === undefined) return { do: "find_out", fact: "answer", callInput };
  if (!answer.ok) return { do: "refuse_answer", problems: answer.problems };
  if (tool.execute === undefined && !isMidway)
    return { do: "take_answer", ...callInput, answer: answer.value };
  return { do: "run", ...callInput, answer: answer.value };
}

/**
 * Returns whether the model was given the call's tool in this run. If not, the call must not run, even if the
 * agent has the tool by now: the model may have read the name anywhere, e.g. in a document.
 */
export function wasGiven({ log }: Leg, { toolName }: CallState): boolean {
  return sentInputSchema(log.state, toolName) !== undefined;
}
