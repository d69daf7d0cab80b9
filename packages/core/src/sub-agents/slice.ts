import type { Leg } from "../leg.ts";
import type { Budget, Resource } from "../stop/budget.ts";
import { leftOf } from "../stop/limits.ts";
import type { Delegate } from "./agent-tool.ts";

/** What an agent uses up of its caller's budget, too. Time is the caller's own anyway. */
const SHARED: readonly Resource[] = ["inputTokens", "outputTokens", "costCents"];

/** What one task may use up: its own limits, and no more than its part of what the caller has left for so many of them. */
export function sliceOf(leg: Leg, { agent, limits }: Delegate, tasks: number): Partial<Budget> {
  const { left } = leftOf(leg.log.state, leg.agent, leg.legMs());
  const slice = { ...limits };
  for (const resource of SHARED) {
    const part = left[resource] / tasks;
    if (Number.isFinite(part)) slice[resource] = Math.min(part, limits[resource] ?? agent.limits[resource]);
  }
  return slice;
}
