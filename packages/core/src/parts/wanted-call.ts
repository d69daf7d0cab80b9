import type { TurnPlan } from "../hooks/turn-plan.ts";
import { eventKey } from "../log/event-keys.ts";
import type { Leg } from "../loop/leg/leg.ts";
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
  return named === undefined ? plan : { ...plan, tools: [named] };
}
