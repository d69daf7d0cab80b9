import { type Json, type Tool, type ToolContext, tool } from "@pawl/core";
import * as z from "zod";
import type { CoachData, CoachDeps, MatchQuery } from "../data/index.ts";
import { DAYS_BACK, daysBack, playlist, TIMEOUT_MS, withData } from "./support.ts";

/** What differs between two analyses. */
interface Analysis {
  name: string;
  description: string;
  status: { start: string; done: string };
  analyze(data: CoachData, userId: string, matches: MatchQuery): Promise<object>;
  /** Renders the result for the model. Default: as it is. */
  format?(result: Json): string;
}

/** Makes a tool that analyses the user's matches of one playlist over a range of days. */
export function analysisTool({ analyze, ...own }: Analysis): Tool<CoachDeps> {
  return tool({
    ...own,
    input: z.object({
      playlist,
      days_back: daysBack.describe(`How many days to look back, 1 to 365. Default: ${DAYS_BACK}.`),
    }),
    category: "analysis",
    idempotent: true,
    timeoutMs: TIMEOUT_MS,
    execute: async (
      { playlist, days_back = DAYS_BACK },
      { userId, deps }: ToolContext<CoachDeps>,
    ): Promise<object> =>
      await withData(() => analyze(deps.coach, userId, { playlist, daysBack: days_back })),
  });
}
