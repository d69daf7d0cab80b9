import { type Tool, type ToolContext, tool } from "@pawl/core";
import * as z from "zod";
import { rounded, sum } from "../base/numbers.ts";
import type { BoostAnalysis, PadUse } from "../base/shapes.ts";
import type { CoachDeps } from "../data/index.ts";
import { DAYS_BACK, daysBack, playlist, resultOf, TIMEOUT_MS, withData } from "./support.ts";

/** Shows how the user gets and spends boost. */
export const analyzeBoost: Tool<CoachDeps> = tool({
  name: "analyze_boost",
  description:
    "Shows how the user collects and uses boost beside players of the same rank: amounts, time without boost, big and small pads, and " +
    "how often they take each pad of the field. The user sees a map of the pads.",
  input: z.object({
    playlist,
    days_back: daysBack.describe(`How many days to look back, 1 to 365. Default: ${DAYS_BACK}.`),
  }),
  category: "analysis",
  status: { start: "Checking your boost...", done: "Boost checked" },
  idempotent: true,
  timeoutMs: TIMEOUT_MS,
  execute: async (
    { playlist, days_back = DAYS_BACK },
    { userId, deps }: ToolContext<CoachDeps>,
  ): Promise<BoostAnalysis> =>
    await withData(() => deps.coach.boost(userId, { playlist, daysBack: days_back })),
  // The map is for people. A model reads sums of its zones.
  format: (result) => {
    const { pads, field: _, ...others } = resultOf<BoostAnalysis>(result);
    return JSON.stringify({ ...others, pads_per_match: zonesOf(pads) });
  },
});

function zonesOf(pads: readonly PadUse[]) {
  const zones = Map.groupBy(pads, ({ size, y }) => {
    const half = y === 0 ? "midfield" : y < 0 ? "own half" : "opponents' half";
    return `${size} pads, ${half}`;
  });
  return [...zones].map(([zone, list]) => ({
    zone,
    you: rounded(sum(list.map(({ per_match }) => per_match)), 1),
    rank: rounded(sum(list.map(({ rank_per_match }) => rank_per_match)), 1),
  }));
}
