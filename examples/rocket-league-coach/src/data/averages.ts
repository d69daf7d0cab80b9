import { ask } from "@pawl/example-data-parts";
import type { Database } from "@pawl/postgres";
import { type MetricName, metric } from "../base/metrics.ts";
import { rounded } from "../base/numbers.ts";
import type { Playlist } from "../base/playlists.ts";
import type { Comparison, MetricInfo } from "../base/shapes.ts";

/** Matches of one user in one playlist since a time. */
export interface Range {
  userId: string;
  playlist: Playlist;
  /** ISO 8601. */
  since: string;
}

/** Averages by metric. A metric without a value is `null`, e.g. goals per shot without a shot. */
export type Averages = Readonly<Partial<Record<MetricName, number | null>>>;

/** The owner's lines of a {@link Range}: $1 is the user, $2 the playlist, $3 the time. */
export const OWN_LINES = `rl_coach.line l JOIN rl_coach.replay r ON r.replay_id = l.replay_id
    WHERE l.owner_id = $1 AND l.is_owner AND l.playlist = $2 AND r.played_at >= $3::text::timestamptz`;

/**
 * Returns the SQL that computes metrics over lines `l`, each under its name. It is made of constants of
 * `metrics` only.
 */
export function averagesSql(names: readonly MetricName[]): string {
  return [...new Set(names)].map((name) => `(${metric(name).sql})::float8 AS ${name}`).join(", ");
}

/** Returns the user's averages, and the number of matches. */
export async function ownAverages(
  db: Database,
  { userId, playlist, since }: Range,
  names: readonly MetricName[],
): Promise<{ matches: number; averages: Averages }> {
  const text = `SELECT count(*)::integer AS matches, ${averagesSql(names)} FROM ${OWN_LINES}`;
  const [row] = await ask<Averages & { matches: number }>(db, text, [userId, playlist, since]);
  const { matches = 0, ...averages } = row ?? {};
  return { matches, averages };
}

/** Returns the averages of each player of the sample that has one of these ranks. */
export async function playersOfRanks(
  db: Database,
  playlist: Playlist,
  ranks: readonly number[],
  names: readonly MetricName[],
): Promise<(Averages & { rank: number })[]> {
  const text = `SELECT l.rank::integer AS rank, ${averagesSql(names)}
    FROM rl_coach.line l
    WHERE l.owner_id IS NULL AND l.playlist = $1 AND l.rank = ANY ($2::text::smallint[])
    GROUP BY l.rank, l.player_id`;
  return await ask(db, text, [playlist, `{${ranks.join(",")}}`]);
}

export function infoOf(name: MetricName): MetricInfo {
  const { label, unit, better } = metric(name);
  return { metric: name, label, unit, better };
}

/** Rounds a metric's value to its decimals. */
export function shown(name: MetricName, value: number | null | undefined): number | null {
  return value === null || value === undefined ? null : rounded(value, metric(name).decimals);
}

/** Returns the values of a metric, the smallest first. */
export function valuesOf(rows: readonly Averages[], name: MetricName): number[] {
  return rows
    .map((row) => row[name])
    .filter((value) => typeof value === "number")
    .sort((a, b) => a - b);
}

/**
 * Returns the value below which a share of the values lies, between two of them where none is there.
 * `undefined` without values. `sorted` begins with the smallest.
 */
export function quantile(sorted: readonly number[], share: number): number | undefined {
  const place = share * (sorted.length - 1);
  const [below, above] = [sorted[Math.floor(place)], sorted[Math.ceil(place)]];
  if (below === undefined || above === undefined) return undefined;
  return below + (above - below) * (place - Math.floor(place));
}

/** Puts the user's averages beside the medians of players. */
export function compared(
  names: readonly MetricName[],
  own: Averages,
  players: readonly Averages[],
): Comparison[] {
  return names.map((name) => ({
    ...infoOf(name),
    you: shown(name, own[name]),
    rank_median: shown(name, quantile(valuesOf(players, name), 0.5)),
  }));
}
