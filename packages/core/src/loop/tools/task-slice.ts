import type { Leg } from "../../leg/leg.ts";
import type { Budget, Resource } from "../../log/budget.ts";
import { promptTokens } from "../../model/pricing.ts";
import { type CallState, openRun, unanswered } from "../../session/state.ts";
import { remainingOf } from "../../stop/limits.ts";
import type { Delegate } from "../../tools/tool.ts";

/** What a sub-agent shares with its caller's budget. Its time passes for the caller anyway. */
const SHARED: readonly Resource[] = ["inputTokens", "outputTokens", "costUsd"];

/** Returns what a started task may still use beyond what its caller was charged. */
function heldBy({ started, charged: { usage, costUsd } }: CallState, resource: Resource): number {
  const charged: Partial<Budget> = {
    inputTokens: promptTokens(usage),
    outputTokens: usage.outputTokens,
    costUsd,
  };
  return Math.max(0, (started?.slice?.[resource] ?? 0) - (charged[resource] ?? 0));
}

/**
 * Returns the budget slice of a sub-agent task that is about to start. For tokens and cost, the turn's tasks
 * that have not started share the caller's remaining budget equally, each up to its own limit. The unused
 * part of a started task's slice is not shared. Other resources have only the overrides in `limits`.
 */
export function sliceOf(leg: Leg, { budget, limits }: Delegate): Partial<Budget> {
  const { state } = leg.log;
  const { amounts } = remainingOf(state, leg.agent, leg.life.legMs());
  const run = openRun(state);
  const open = run === undefined ? [] : unanswered(run);
  const held = open.filter(({ started }) => started?.slice !== undefined);
  const toBegin = open.filter(
    ({ started, toolName }) => started === undefined && leg.agent.tools.get(toolName)?.delegate !== undefined,
  ).length;
  const slice = { ...limits };
  for (const resource of SHARED) {
    const free = held.reduce((rest, call) => rest - heldBy(call, resource), amounts[resource]);
    const part = Math.max(0, free) / toBegin;
    if (Number.isFinite(part)) slice[resource] = Math.min(part, budget[resource]);
  }
  return slice;
}
