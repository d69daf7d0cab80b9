import { type Tool, type ToolContext, tool } from "@pawl/core";
import * as z from "zod";
import type { RecentSessions } from "../base/shapes.ts";
import type { CoachDeps } from "../data/index.ts";
import { DAYS_BACK, daysBack, playlist, TIMEOUT_MS, withData } from "./support.ts";

const SESSIONS = 5;

/** Lists the user's newest sessions and their replays. */
export const getRecentSessions: Tool<CoachDeps> = tool({
  name: "get_recent_sessions",
  description:
    "Lists the sessions that the user played last, newest first: wins, losses, MMR, and each match with its replay_id. Start here if " +
    "you do not know what they play.",
  input: z.object({
    playlist: playlist.optional().describe("Only this playlist. Default: all."),
    limit: z.int().min(1).max(20).optional().describe(`How many sessions, 1 to 20. Default: ${SESSIONS}.`),
    days_back: daysBack.describe(`How many days to look back, 1 to 365. Default: ${DAYS_BACK}.`),
  }),
  category: "player",
  status: { start: "Finding your last matches...", done: "Matches found" },
  idempotent: true,
  timeoutMs: TIMEOUT_MS,
  execute: async (
    { playlist, limit = SESSIONS, days_back = DAYS_BACK },
    { userId, deps }: ToolContext<CoachDeps>,
  ): Promise<RecentSessions> => {
    const query = { playlist, limit, daysBack: days_back };
    const sessions = await withData(() => deps.coach.sessions(userId, query));
    return { days_back, sessions };
  },
});
