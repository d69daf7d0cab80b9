import type { Budget } from "../log/budget.ts";
import { promptTokens } from "../model/pricing.ts";
import type { RunState } from "./state.ts";

/**
 * Returns what a run has used so far. `legMs` is the time of the current leg in milliseconds; it is added to
 * the time of earlier legs.
 */
export function spentOf(run: Readonly<RunState>, legMs: number): Budget {
  return {
    turns: run.turns,
    wallClockMs: run.work.ms + legMs,
    toolCalls: run.calls.length,
    inputTokens: promptTokens(run.usage),
    outputTokens: run.usage.outputTokens,
    costUsd: run.costUsd,
  };
}
