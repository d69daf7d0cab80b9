import type { Tool } from "@pawl/core";
import type { CoachDeps } from "../data/index.ts";
import { analyzeBoost } from "./analyze-boost.ts";
import { analyzeRotations } from "./analyze-rotations.ts";
import { getCoachingNotes, saveCoachingNote } from "./coaching-notes.ts";
import { getPlayerTrends } from "./get-player-trends.ts";
import { getRankBenchmarks } from "./get-rank-benchmarks.ts";
import { getRecentSessions } from "./get-recent-sessions.ts";
import { getReplay } from "./get-replay.ts";

/**
 * The coach's eight tools. They read {@link CoachDeps} from `deps`, and use nothing else of the context but
 * `userId` and `idempotencyKey`. So a server can run them outside of a run, too.
 *
 * @example
 * ```ts
 * import { coachTools } from "@pawl/example-rocket-league-coach";
 *
 * console.log(coachTools.map(({ name }) => name));
 * // [ "get_rank_benchmarks", "get_player_trends", … ]
 * ```
 */
export const coachTools: readonly Tool<CoachDeps>[] = [
  getRankBenchmarks,
  getPlayerTrends,
  getRecentSessions,
  getReplay,
  analyzeBoost,
  analyzeRotations,
  saveCoachingNote,
  getCoachingNotes,
];
