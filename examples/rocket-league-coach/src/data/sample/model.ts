import type { Playlist } from "../../base/playlists.ts";

/** How a statistic is distributed over the ranks and the players of a rank. */
export interface Spread {
  /** The mean in Bronze I and the mean of Supersonic Legends, in standard matches. Straight between them. */
  readonly from: number;
  readonly to: number;
  /** The standard deviation between players of one rank. */
  readonly players: number;
  /** The standard deviation between the matches of one player. */
  readonly matches: number;
  readonly min: number;
  readonly max: number;
  /** What duels and doubles multiply the mean by. Default: 1. */
  readonly duels?: number;
  readonly doubles?: number;
}

/**
 * The statistics that are drawn for each player. DATA.md says which of these numbers have a source, and how
 * the others were chosen. The rest of a line follows from the goals of the match.
 */
export const spreads = {
  boost_collected_per_minute: {
    ...{ from: 235, to: 415, players: 22, matches: 38, min: 60, max: 640 },
    ...{ duels: 1.12, doubles: 1.05 },
  },
  big_pad_percent: { from: 74, to: 56, players: 4, matches: 6, min: 25, max: 95, duels: 1.04 },
  average_boost: { from: 44, to: 53, players: 3, matches: 5, min: 15, max: 85 },
  percent_zero_boost: { from: 19, to: 10, players: 1.8, matches: 4, min: 0.5, max: 45 },
  percent_full_boost: { from: 7, to: 11, players: 1.3, matches: 3.5, min: 0.2, max: 35 },
  stolen_percent: { from: 13, to: 25, players: 2.5, matches: 6, min: 1, max: 55, duels: 1.1 },
  average_speed: {
    ...{ from: 1_180, to: 1_680, players: 38, matches: 55, min: 800, max: 2_000 },
    ...{ duels: 1.01, doubles: 1.01 },
  },
  percent_supersonic: { from: 3, to: 20, players: 1.6, matches: 2.8, min: 0, max: 40 },
  percent_ground: { from: 71, to: 53, players: 2.4, matches: 4, min: 30, max: 90 },
  percent_high_air: { from: 1.5, to: 8, players: 0.8, matches: 1.6, min: 0, max: 20 },
  percent_behind_ball: { from: 64, to: 76, players: 2.2, matches: 5, min: 35, max: 95, duels: 0.93 },
  percent_defensive_third: { from: 42, to: 47, players: 2.2, matches: 6, min: 18, max: 75 },
  percent_offensive_third: { from: 27, to: 23, players: 1.8, matches: 5, min: 5, max: 50 },
  distance_to_ball: {
    ...{ from: 3_050, to: 2_720, players: 95, matches: 180, min: 1_500, max: 4_500 },
    ...{ duels: 0.8, doubles: 0.92 },
  },
  touches: { from: 24, to: 46, players: 3.5, matches: 7, min: 2, max: 120, duels: 1.6, doubles: 1.2 },
} as const satisfies Record<string, Spread>;

/** A statistic that is drawn. */
export type Drawn = keyof typeof spreads;

export const drawn: readonly Drawn[] = Object.keys(spreads) as Drawn[];

/** How the goals of a match come about, by rank. */
export const scoring = {
  /** The mean number of goals of a team. */
  teamGoals: { duels: [4.2, 3.6], doubles: [3.1, 2.5], standard: [2.7, 1.9] },
  /** The share of shots that become goals, in percent. */
  shootingPercentage: [48, 33],
  /** The share of goals that have an assist. */
  assisted: [0.3, 0.62],
  /** The share of shots without a goal that the other team saves. The rest misses. */
  saved: [0.42, 0.78],
  /** The mean number of demolitions of a player in a match. */
  demos: [0.25, 0.85],
} as const;

/** Returns the place of a rank between Bronze I (0) and Supersonic Legend (1). */
export function placeOf(rankIndex: number): number {
  return rankIndex / 21;
}

/** Returns the value at a place between two ends. */
export function at(place: number, [from, to]: readonly [number, number]): number {
  return from + (to - from) * place;
}

/** Returns the mean of a statistic at a place, in matches of a playlist. */
export function meanOf(name: Drawn, place: number, playlist: Playlist): number {
  const { from, to, duels = 1, doubles = 1 }: Spread = spreads[name];
  const factor = { duels, doubles, standard: 1 }[playlist];
  return at(place, [from, to]) * factor;
}
