import { type Tool, type ToolContext, tool } from "@pawl/core";
import * as z from "zod";
import type { ReplayDetails } from "../base/shapes.ts";
import type { CoachDeps } from "../data/index.ts";
import { replayId, resultOf, TIMEOUT_MS, withData } from "./support.ts";

/** Shows one match of the user. */
export const getReplay: Tool<CoachDeps> = tool({
  name: "get_replay",
  description:
    "Shows one of the user's matches: the result and all statistics of every player. Use it if the user asks about a match.",
  input: z.object({
    replay_id: replayId.describe(
      "The id of the replay, from get_recent_sessions or from the user's message.",
    ),
  }),
  category: "player",
  status: { start: "Opening the replay...", done: "Replay read" },
  idempotent: true,
  timeoutMs: TIMEOUT_MS,
  execute: async ({ replay_id }, { userId, deps }: ToolContext<CoachDeps>): Promise<ReplayDetails> =>
    await withData(() => deps.coach.replay(userId, replay_id)),
  // The labels are for charts: the names of the statistics say enough to a model.
  format: (result) => {
    const { metrics: _, ...match } = resultOf<ReplayDetails>(result);
    return JSON.stringify(match);
  },
});
