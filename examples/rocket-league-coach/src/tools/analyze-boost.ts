import type { Tool } from "@pawl/core";
import { rounded, sum } from "../base/numbers.ts";
import type { BoostAnalysis, PadUse } from "../base/shapes.ts";
import type { CoachDeps } from "../data/index.ts";
import { analysisTool } from "./analysis-tool.ts";
import { resultOf } from "./support.ts";

/** Shows how the user gets and spends boost. */
export const analyzeBoost: Tool<CoachDeps> = analysisTool({
  name: "analyze_boost",
  description:
    "Shows how the user collects and uses boost beside players of the same rank: amounts, time without boost, big and small pads, and " +
    "how often they take each pad of the field. The user sees a map of the pads.",
  status: { start: "Checking your boost...", done: "Boost checked" },
  analyze: (data, userId, matches) => data.boost(userId, matches),
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
