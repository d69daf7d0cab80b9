import { type Tool, type ToolContext, tool } from "@pawl/core";
import * as z from "zod";
import type { MetricName } from "../base/metrics.ts";
import type { RankBenchmarks } from "../base/shapes.ts";
import type { CoachDeps } from "../data/index.ts";
import { DAYS_BACK, daysBack, metricList, playlist, rankIndexes, TIMEOUT_MS, withData } from "./support.ts";

/** What is compared if the call does not say so. */
const DEFAULT_METRICS: readonly MetricName[] = [
  "goals",
  "saves",
  "shooting_percentage",
  "boost_per_minute",
  "percent_zero_boost",
  "average_speed",
  "percent_supersonic",
  "percent_behind_ball",
];

/** Compares the user with players of chosen ranks. */
export const getRankBenchmarks: Tool<CoachDeps> = tool({
  name: "get_rank_benchmarks",
  description:
    "Shows what players of a rank reach in each metric (10th to 90th percentile) and where the user stands among them. " +
    "Use it before you call a value good or bad. Without ranks it takes the user's own rank and the same tier of the next one.",
  input: z.object({
    playlist,
    ranks: z
      .array(z.string().trim().min(1).max(40))
      .min(1)
      .max(4)
      .optional()
      .describe('Ranks to compare with, e.g. ["Platinum III", "Diamond I"].'),
    metrics: metricList
      .optional()
      .describe("One to eight metrics. Default: a mix of scoring, boost and speed."),
    days_back: daysBack.describe(
      `How far back the user's own matches reach, 1 to 365. Default: ${DAYS_BACK}.`,
    ),
  }),
  category: "compare",
  status: { start: "Comparing with other players...", done: "Compared" },
  idempotent: true,
  timeoutMs: TIMEOUT_MS,
  execute: async (
    { playlist, ranks = [], metrics = [...DEFAULT_METRICS], days_back = DAYS_BACK },
    { userId, deps }: ToolContext<CoachDeps>,
  ): Promise<RankBenchmarks> => {
    const indexes = rankIndexes(ranks);
    const query = { playlist, daysBack: days_back, ranks: indexes, metrics: [...new Set(metrics)] };
    return await withData(() => deps.coach.benchmarks(userId, query));
  },
});
