import { type Tool, type ToolContext, tool } from "@pawl/core";
import * as z from "zod";
import type { PlayerTrends } from "../base/shapes.ts";
import type { CoachDeps } from "../data/index.ts";
import { daysBack, metricList, playlist, TIMEOUT_MS, withData } from "./support.ts";

/** Shorter ranges show more chance than trend. */
const TREND_DAYS = 90;

/** Shows how metrics of the user changed. */
export const getPlayerTrends: Tool<CoachDeps> = tool({
  name: "get_player_trends",
  description:
    "Shows how the user's metrics changed over days, weeks or months: a value for each window, the averages of the first and the " +
    "second half, and whether that is better or worse. Use it for questions about progress.",
  input: z.object({
    playlist,
    metrics: metricList.describe("One to eight metrics."),
    window: z.enum(["day", "week", "month"]).optional().describe("What one value stands for. Default: week."),
    days_back: daysBack.describe(`How many days to look back, 1 to 365. Default: ${TREND_DAYS}.`),
  }),
  category: "player",
  status: { start: "Looking at your progress...", done: "Progress ready" },
  idempotent: true,
  timeoutMs: TIMEOUT_MS,
  execute: async (
    { playlist, metrics, window = "week", days_back = TREND_DAYS },
    { userId, deps }: ToolContext<CoachDeps>,
  ): Promise<PlayerTrends> =>
    await withData(() =>
      deps.coach.trends(userId, { playlist, window, daysBack: days_back, metrics: [...new Set(metrics)] }),
    ),
});
