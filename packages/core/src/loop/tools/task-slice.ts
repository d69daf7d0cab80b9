import type { Budget, Resource } from "../../log/budget.ts";
import { promptTokens } from "../../model/pricing.ts";
import { type CallState, openRun, unanswered } from "../../session/state.ts";
import { remainingOf } from "../../stop/limits.ts";
import type { Leg } from "../leg/leg.ts";

/**
 * The resources that a sub-agent takes from its caller's budget. Time is not among them: it passes for the
 * caller too.
 */
const SHARED: readonly Resource[] = ["inputTokens", "outputTokens", "costUsd"];

/** Returns the part of a started task's slice that its caller was not charged for yet. */
function reservedBy({ started, charged: { usage, costUsd } }: CallState, resource: Resource): number {
  const charged: Partial<Budget> = {
    inputTokens: promptTokens(usage),
    outputTokens: usage.outputTokens,
    costUsd,
  };
  return Math.max(0, (started?.slice?.[resource] ?? 0) - (charged[resource] ?? 0));
}

/**
 * Returns the budget slice of a sub-agent's task that is about to start. The tasks of a turn that have not
 * started share the caller's remaining tokens and cost equally, each up to its agent's own limit. The unused
 * slices of started tasks are not shared. Other resources are limited by `limits` alone.
 */
export function sliceOf(leg: Leg, budget: Budget, limits: Partial<Budget>): Partial<Budget> {
  const { state } = leg.log;
  const { amounts } = remainingOf(state, leg.agent, leg.life.legMs());
  const run = openRun(state);
  const open = run === undefined ? [] : unanswered(run);
  const reserved = open.filter(({ started }) => started?.slice !== undefined);
  const toBegin = open.filter(
    ({ started, toolName }) => started === undefined && leg.agent.tools.get(toolName)?.delegate !== undefined,
  ).length;
  const slice = { ...limits };
  for (const resource of SHARED) {
    const free = reserved.reduce((rest, call) => rest - reservedBy(call, resource), amounts[resource]);
    const part = Math.max(0, free) / toBegin;
    if (Number.isFinite(part)) slice[resource] = Math.min(part, budget[resource]);
  }
  return slice;
}
