import type { Budget } from "../log/budget.ts";
import { promptTokens } from "../model/pricing.ts";
import type { RunState } from "./state.ts";

/** What the open run has used up so far; `legMs` is what the leg at work adds to the run's earlier legs. */
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
