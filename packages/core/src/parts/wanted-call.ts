import type { TurnPlan } from "../hooks/turn-plan.ts";
import { eventKey } from "../log/event-keys.ts";
import type { Verdict, WantedAttempt } from "../loop/leg/flow-parts.ts";
import type { Leg } from "../loop/leg/leg.ts";
import { isCompleted, withoutCall } from "../loop/turn/verdict.ts";
import { isCode } from "../model/answering.ts";
import { openRun } from "../session/state.ts";
import { addOnce } from "./append.ts";

/**
 * Asks a model that cannot be forced for the call that the plan forces: stores a note, once per turn, unless
 * a reminder has asked for the call already. Returns the plan, in which a named tool is the only one that may
 * run.
 */
export async function wantCall(leg: Leg, plan: TurnPlan): Promise<TurnPlan> {
  const { toolChoice } = plan;
  const run = openRun(leg.log.state);
  if (run === undefined || toolChoice === undefined) return plan;
  const named = toolChoice.type === "tool" ? toolChoice.name : undefined;
  // An agent with an output is also reminded of its schema.
  const wasReminded = run.turn?.reminded === true && leg.run.agent.output === undefined;
  if (!wasReminded) {
    const text =
      named === undefined ? "Call one of your tools now." : `Call the tool "${named}" now, and no other.`;
    const key = eventKey.wanted(run.runId, run.turns + 1, named ?? "");
    await addOnce(leg, { type: "note", key, data: { text } });
  }
  const single = toolChoice.type === "none" ? undefined : toolChoice.disable_parallel_tool_use;
  const auto = { type: "auto" as const, ...(single !== undefined && { disable_parallel_tool_use: single }) };
  if (named === undefined) return { ...plan, toolChoice: auto };
  // A tool that may not run in this turn may not run because it is wanted either.
  const tools = plan.tools === undefined || plan.tools.includes(named) ? [named] : [];
  return { ...plan, toolChoice: auto, tools };
}

/**
 * Judges an answer to a request for which a hook wanted a call, although the model could not be forced. The
 * turn after the reminder needs the call too, whatever the hook then plans.
 */
export function wantedVerdict(
  { log, run: { agent } }: Leg,
  attempt: WantedAttempt,
  verdict: Verdict,
): Verdict {
  const { answer, request } = attempt;
  const wanted = request.params.hook_choice;
  const run = openRun(log.state);
  // Agents that are `toolOnly` or have an output have reminders of their own.
  const wasReminded = agent.output === undefined && run?.turn?.reminded === true;
  const isJudged = agent.toolOnly || verdict.problem !== undefined || isCode(request.model);
  if (isJudged || !isCompleted(answer) || (wanted === undefined && !wasReminded)) return verdict;
  const tool = wanted?.type === "tool" ? `"${wanted.name}"` : "a tool";
  const text = `You answered without calling a tool. Call ${tool} now.`;
  return withoutCall(verdict.calls, run?.reminded === true, text);
}
