import { type Tool, type ToolContext, tool } from "@pawl/core";
import * as z from "zod";
import type { RotationAnalysis } from "../base/shapes.ts";
import type { CoachDeps } from "../data/index.ts";
import { DAYS_BACK, daysBack, playlist, TIMEOUT_MS, withData } from "./support.ts";

/** Shows where the user is on the field. */
export const analyzeRotations: Tool<CoachDeps> = tool({
  name: "analyze_rotations",
  description:
    "Shows how the user rotates beside players of the same rank: time in each third, behind the ball, as the first and the last of " +
    "the team, and what differs between matches won and lost. In duels there is no team, so roles is null.",
  input: z.object({
    playlist,
    days_back: daysBack.describe(`How many days to look back, 1 to 365. Default: ${DAYS_BACK}.`),
  }),
  category: "analysis",
  status: { start: "Checking your rotations...", done: "Rotations checked" },
  idempotent: true,
  timeoutMs: TIMEOUT_MS,
  execute: async (
    { playlist, days_back = DAYS_BACK },
    { userId, deps }: ToolContext<CoachDeps>,
  ): Promise<RotationAnalysis> =>
    await withData(() => deps.coach.rotations(userId, { playlist, daysBack: days_back })),
});
