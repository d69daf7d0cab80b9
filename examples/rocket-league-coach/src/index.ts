export {
  type Authenticate,
  BACKEND_PATH,
  bearerOf,
  type CoachBackendOptions,
  coachBackend,
  type TokenBudget,
} from "./backend/index.ts";
export type { ChatBlock, ChatMessage } from "./base/chat-message.ts";
export { type Metric, type MetricName, metric, metricNames, metrics } from "./base/metrics.ts";
export { field, type Pad, pads } from "./base/pads.ts";
export { type Playlist, playlists, teamSizes } from "./base/playlists.ts";
export { findRank, type Rank, rankOfMmr, ranks, topPercent } from "./base/ranks.ts";
export { COACH as ROCKET_LEAGUE_AGENT } from "./base/reservation-id.ts";
export type {
  BoostAnalysis,
  CoachingNote,
  CoachingNotes,
  Comparison,
  MatchLine,
  MetricInfo,
  PadUse,
  PlayerTrends,
  PlaySession,
  RankBenchmarks,
  RankValues,
  RecentSessions,
  ReplayDetails,
  ReplayPlayer,
  RotationAnalysis,
  Standing,
  TrendSeries,
} from "./base/shapes.ts";
export {
  type CoachData,
  type CoachDataOptions,
  type CoachDeps,
  coachData,
  drawLife,
  drawPool,
  LIFE_DAYS,
  type LifeOptions,
  type Line,
  type MatchQuery,
  MIN_PLAYERS,
  MORE_PLAYERS,
  type NewNote,
  REPLAYS_EACH,
  type Replay,
  type Sample,
} from "./data/index.ts";
export {
  type PageOptions,
  type RocketLeagueCoach,
  type RocketLeagueCoachOptions,
  rocketLeagueCoach,
} from "./front/index.ts";
export {
  type Config as RocketLeagueConfig,
  readConfig as readCoachConfig,
  sharedTokens,
  type Tokens,
} from "./main/index.ts";
export { instructions } from "./prompt/instructions.ts";
export { type RocketLeagueRulesOptions, rocketLeagueRules } from "./simulator/rules.ts";
export { coachTools } from "./tools/index.ts";
