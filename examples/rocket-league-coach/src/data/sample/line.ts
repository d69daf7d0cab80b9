import type { Playlist } from "../../base/playlists.ts";

/** What one player did in one replay. The fields are the columns of the table `line`. */
export interface Line {
  replay_id: string;
  /** The user whose replay it is; `null` in the public sample. */
  owner_id: string | null;
  /** Whether this is the line of the replay's owner. */
  is_owner: boolean;
  playlist: Playlist;
  player_id: string;
  player_name: string;
  team: "blue" | "orange";
  won: boolean;
  rank: number;
  /** The MMR at kick-off. */
  mmr: number;
  /** What the match changed the owner's MMR by; `null` for the others. */
  mmr_change: number | null;
  score: number;
  goals: number;
  assists: number;
  saves: number;
  shots: number;
  demos_inflicted: number;
  demos_taken: number;
  boost_per_minute: number;
  boost_collected_per_minute: number;
  average_boost: number;
  percent_zero_boost: number;
  percent_full_boost: number;
  boost_from_small_pads: number;
  boost_from_big_pads: number;
  boost_stolen: number;
  average_speed: number;
  percent_supersonic: number;
  percent_ground: number;
  percent_low_air: number;
  percent_high_air: number;
  percent_behind_ball: number;
  percent_defensive_third: number;
  percent_neutral_third: number;
  percent_offensive_third: number;
  /** `null` in duels, where a team has one player. */
  percent_most_back: number | null;
  percent_most_forward: number | null;
  distance_to_ball: number;
  percent_possession: number;
  touches: number;
  /** How often each of the 34 pads was picked up, in the order of `pads`. */
  pads: readonly number[];
}

/** A replay. The fields are the columns of the table `replay`. */
export interface Replay {
  replay_id: string;
  owner_id: string | null;
  playlist: Playlist;
  /** Milliseconds since 1970. */
  played_at: number;
  /** With overtime. */
  duration_seconds: number;
  overtime: boolean;
  map: string;
  blue_goals: number;
  orange_goals: number;
}

/** Replays with the lines of their players. */
export interface Sample {
  replays: Replay[];
  lines: Line[];
}
