import { sentInputSchema } from "../../context/agent-change.ts";
import type { SkipReason } from "../../log/event-parts.ts";
import type { Validated } from "../../schema/schema.ts";
import type { CallState } from "../../session/state.ts";
import type { TaskAgent, Tool } from "../../tools/tool.ts";
import type { CallInput, Screened } from "../hooks/tool-hooks.ts";
import type { Leg } from "../leg/leg.ts";
import type { CallRefusal } from "../leg/part-types.ts";

/** What is known about a call. A fact that is `undefined` was not looked for yet, or does not apply. */
export interface CallFacts {
  /** The agent's tool; `undefined` if it is gone, or the model was not given it. */
  readonly tool: Tool | undefined;
  /** Why the call cannot run again, e.g. because its process was cut off. */
  readonly notAgain?: string | undefined;
  /** Why the call is refused without a look at its input. */
  readonly refusal?: string | undefined;
  readonly input?: Validated<unknown>;
  /** What the `beforeTool` hooks have said. */
  readonly screened?: Screened;
  /** Whether the call's tool asked the user before it ran. Known for tools that do not ask. */
  readonly asked?: boolean;
  /** The sub-agent for the call, or why it has no sub-agent. */
  readonly chosen?: { agent: TaskAgent } | { why: string };
  /** The user's answer, as the question's schema has it. */
  readonly answer?: Validated<unknown>;
}

/** A fact to find out next, and the call's input so far. */
export interface WantedFact {
  fact: "input" | "screened" | "asked" | "chosen" | "answer";
  given: CallInput;
}

/** The next step of a call. */
export type CallStep =
  /** Finds out something, then decides again. */
  | ({ do: "find_out" } & WantedFact)
  | { do: "refuse"; why: string; skipped?: SkipReason | undefined }
  | CallRefusal
  /** Leaves the call as it is, because the run was stopped. */
  | { do: "leave" }
  | Extract<Screened, { do: "answer" | "ask" }>
  /** Asks the user what the tool asks before it runs. */
  | ({ do: "ask_for_tool" } & CallInput)
  | ({ do: "run"; answer: unknown; agent?: TaskAgent } & CallInput)
  /** Stores the result that the page has sent, or the user's answer as the result. */
  | ({ do: "take_page_result" } & CallInput)
  | { do: "take_answer"; answer: unknown };

/**
 * Decides the next step of a call, from the log and what was found out. A pure function: the order of its
 * lines is the order of the checks. Gone? Again? Refused? Valid? Do hooks agree? Does the tool ask? Then the
 * call runs.
 */
export function decideCall(call: CallState, facts: CallFacts): CallStep {
  const { tool, notAgain, refusal, input } = facts;
  if (tool === undefined) return { do: "refuse_missing" };
  const why = notAgain ?? refusal;
  if (why !== undefined) return { do: "refuse", why, skipped: call.skipped };
  // Hooks may have changed the input before the call had to wait.
  const changed = call.started?.input ?? call.question?.input;
  if (input === undefined) return { do: "find_out", fact: "input", given: { input, changed } };
  if (!input.ok) return { do: "refuse_input", problems: input.problems };
  const given = { input: input.value, changed };
  if (hasPassedHooks(call)) return afterHooks(call, tool, given, facts);
  const { screened } = facts;
  if (screened === undefined) return { do: "find_out", fact: "screened", given };
  if (screened.do === "deny") return { do: "refuse", why: screened.why };
  if (screened.do !== "run") return screened;
  const { do: _, ...agreed } = screened;
  return tool.suspends === undefined
    ? afterHooks(call, tool, agreed, facts)
    : { do: "ask_for_tool", ...agreed };
}

/**
 * Returns whether the hooks have agreed in an earlier leg: the tool asks its own question after them, and a
 * started call has passed all checks. So no hook is called here again.
 */
function hasPassedHooks({ started, question }: CallState): boolean {
  return started !== undefined || (question !== undefined && question.by === undefined);
}

function afterHooks(call: CallState, tool: Tool, given: CallInput, facts: CallFacts): CallStep {
  return tool.suspends === undefined && !call.question?.midway
    ? unlessAsked(call, tool, given, facts)
    : afterAnswer(call, tool, given, facts);
}

/** Decides for a tool that asks nobody before it runs. An earlier version of it may have asked. */
function unlessAsked(call: CallState, tool: Tool, given: CallInput, { asked, chosen }: CallFacts): CallStep {
  if (call.question !== undefined && asked === undefined) return { do: "find_out", fact: "asked", given };
  if (asked) return { do: "refuse_unasked" };
  if (tool.delegate === undefined) return { do: "run", ...given, answer: undefined };
  if (chosen === undefined) return { do: "find_out", fact: "chosen", given };
  if ("why" in chosen) return { do: "refuse", why: chosen.why };
  return { do: "run", ...given, agent: chosen.agent, answer: undefined };
}

/** Decides for a tool whose question was answered. One that has asked while it ran runs again. */
function afterAnswer(call: CallState, tool: Tool, given: CallInput, { answer }: CallFacts): CallStep {
  const isMidway = call.question?.midway === true;
  if (tool.runsIn === "client" && !isMidway) return { do: "take_page_result", ...given };
  if (call.answer?.error !== undefined) return { do: "refuse", why: call.answer.error };
  if (answer === undefined) return { do: "find_out", fact: "answer", given };
  if (!answer.ok) return { do: "refuse_answer", problems: answer.problems };
  if (tool.execute === undefined && !isMidway) return { do: "take_answer", answer: answer.value };
  return { do: "run", ...given, answer: answer.value };
}

/**
 * Returns whether the model was given the call's tool in this run. If not, the call must not run, even if the
 * agent has the tool by now: the model may have read the name anywhere, e.g. in a document.
 */
export function wasGiven({ log }: Leg, { toolName }: CallState): boolean {
  return sentInputSchema(log.state, toolName) !== undefined;
}
