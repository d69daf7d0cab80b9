import type { Tool } from "@pawl/core";
import type { CoachDeps } from "../data/index.ts";
import { analysisTool } from "./analysis-tool.ts";

/** Shows where the user is on the field. */
export const analyzeRotations: Tool<CoachDeps> = analysisTool({
  name: "analyze_rotations",
  description:
    "Shows how the user rotates beside players of the same rank: time in each third, behind the ball, as the first and the last of " +
    "the team, and what differs between matches won and lost. In duels there is no team, so roles is null.",
  status: { start: "Checking your rotations...", done: "Rotations checked" },
  analyze: (data, userId, matches) => data.rotations(userId, matches),
});
