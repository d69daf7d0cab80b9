import type { Metric, MetricName } from "./metrics.ts";
import type { Pad } from "./pads.ts";
import type { Playlist } from "./playlists.ts";

// The results of the tools. A chart draws them as they are: numbers are rounded and have their labels and
// units beside them. Times are ISO 8601 in UTC. Percentages are from 0 to 100.

/** A metric and how to show it. */
export interface MetricInfo {
  metric: MetricName;
  label: string;
  unit: string;
  /** Which values are better. `neither`: it describes a style. */
  better: Metric["better"];
}

/** Where the user stands in a playlist now. */
export interface Standing {
  rank: string;
  mmr: number;
  /** The share of the playlist's players that have this rank or a higher one, in percent. */
  top_percent: number;
}

/** What the players of one rank reach. The values are averages of players, not of single matches. */
export interface RankValues {
  rank: string;
  /** The number of players in the sample. */
  players: number;
  p10: number;
  p25: number;
  p50: number;
  p75: number;
  p90: number;
  /** The share of these players whose value is below the user's; `null` without a value of the user. */
  your_percentile: number | null;
}

/** The result of `get_rank_benchmarks`: for each metric a bar for each rank, and the user's mark on it. */
export interface RankBenchmarks {
  playlist: Playlist;
  days_back: number;
  /** The user's own matches of this time; `null` without matches. */
  you: (Standing & { matches: number }) | null;
  metrics: (MetricInfo & { you: number | null; ranks: RankValues[] })[];
}

/** A metric over time. */
export interface TrendSeries extends MetricInfo {
  /** One value for each window; `null` where there is no value. */
  values: (number | null)[];
  /** The averages of the first and of the second half of the windows, and the difference. */
  first: number | null;
  last: number | null;
  change: number | null;
  /** What the change means. Changes below 3% are `steady`, and one window has no direction. */
  direction: "better" | "worse" | "up" | "down" | "steady" | null;
}

/** The result of `get_player_trends`: a line for each metric over the same windows. */
export interface PlayerTrends {
  playlist: Playlist;
  window: "day" | "week" | "month";
  days_back: number;
  matches: number;
  /** The windows in which the user played, oldest first. `from` is the first day. */
  windows: { from: string; matches: number }[];
  series: TrendSeries[];
}

/** One match of a session. */
export interface MatchLine {
  replay_id: string;
  playlist: Playlist;
  played_at: string;
  won: boolean;
  /** The user's team first, e.g. `3-1`. */
  result: string;
  mmr_change: number | null;
  score: number;
  goals: number;
  assists: number;
  saves: number;
  shots: number;
}

/** Matches that the user played in a row, with less than an hour between the starts of two. */
export interface PlaySession {
  started_at: string;
  ended_at: string;
  matches: number;
  wins: number;
  losses: number;
  mmr_change: number;
  replays: MatchLine[];
}

/** The result of `get_recent_sessions`, newest first. */
export interface RecentSessions {
  days_back: number;
  sessions: PlaySession[];
}

/** A player of a replay. `stats` has one value for each metric; `null` where it does not apply. */
export interface ReplayPlayer {
  name: string;
  you: boolean;
  rank: string;
  mmr: number;
  stats: { [metric: string]: number | null };
}

/** The result of `get_replay`. The user's team is first. */
export interface ReplayDetails {
  replay_id: string;
  playlist: Playlist;
  played_at: string;
  map: string;
  duration_seconds: number;
  overtime: boolean;
  won: boolean;
  teams: { colour: "blue" | "orange"; goals: number; players: ReplayPlayer[] }[];
  /** The units of `stats`. */
  metrics: MetricInfo[];
}

/** The user's average beside the middle of the players of their rank. */
export interface Comparison extends MetricInfo {
  you: number | null;
  rank_median: number | null;
}

/** A pad of the boost map. */
export interface PadUse extends Pad {
  /** How often the user picks it up in a match. */
  per_match: number;
  /** How often players of the user's rank do. */
  rank_per_match: number;
}

/** The result of `analyze_boost`. */
export interface BoostAnalysis {
  playlist: Playlist;
  days_back: number;
  matches: number;
  you: Standing;
  economy: Comparison[];
  /** Half the width and half the length of the field. The user attacks towards positive `y`. */
  field: { half_width: number; half_length: number };
  pads: PadUse[];
}

/** The result of `analyze_rotations`. */
export interface RotationAnalysis {
  playlist: Playlist;
  days_back: number;
  matches: number;
  you: Standing;
  /** From the own goal to the opponents'. */
  thirds: { third: "defensive" | "neutral" | "offensive"; you: number; rank_median: number }[];
  /** Time as the first and the last of the team, where a fair share is 100 / players; `null` in duels. */
  roles: { fair_share: number; most_back: number; most_forward: number } | null;
  positioning: Comparison[];
  /** The user's averages in matches that were won and in those that were lost. */
  by_result: (MetricInfo & { won: number | null; lost: number | null })[];
}

/** A coaching note. */
export interface CoachingNote {
  note_id: string;
  topic: string;
  text: string;
  replay_id: string | null;
  written_at: string;
}

/** The result of `get_coaching_notes`, newest first. */
export interface CoachingNotes {
  notes: CoachingNote[];
}
