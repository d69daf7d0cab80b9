import { ask } from "@pawl/example-data-parts";
import type { Database } from "@pawl/postgres";
import type { MetricName } from "../base/metrics.ts";
import { rounded } from "../base/numbers.ts";
import { teamSizes } from "../base/playlists.ts";
import type { RotationAnalysis } from "../base/shapes.ts";
import {
  type Averages,
  averagesSql,
  compared,
  infoOf,
  OWN_LINES,
  ownAverages,
  playersOfRanks,
  type Range,
  shown,
} from "./averages.ts";
import type { Place } from "./standing.ts";

const THIRDS = ["defensive", "neutral", "offensive"] as const;
const ROLES: readonly MetricName[] = ["percent_most_back", "percent_most_forward"];
const POSITIONING: readonly MetricName[] = [
  "percent_behind_ball",
  "distance_to_ball",
  "percent_possession",
  "average_speed",
  "percent_supersonic",
  "percent_ground",
  "percent_low_air",
  "percent_high_air",
];
const BY_RESULT: readonly MetricName[] = [
  "percent_behind_ball",
  "percent_defensive_third",
  "percent_offensive_third",
  "percent_possession",
  "saves",
];

/** Returns where a user is on the field and when, beside players of the same rank. */
export async function rotationsOf(
  db: Database,
  range: Range,
  { daysBack, place }: { daysBack: number; place: Place },
): Promise<RotationAnalysis> {
  const thirds = THIRDS.map((third) => `percent_${third}_third` as const);
  const names = [...thirds, ...ROLES, ...POSITIONING];
  const [own, players, results] = await Promise.all([
    ownAverages(db, range, names),
    playersOfRanks(db, range.playlist, [place.rank.index], names),
    byResult(db, range),
  ]);
  const { percent_most_back: back, percent_most_forward: forward } = own.averages;
  const hasRoles = typeof back === "number" && typeof forward === "number";
  const share = (value: number) => rounded(value, 1);
  return {
    playlist: range.playlist,
    days_back: daysBack,
    matches: own.matches,
    you: place.standing,
    thirds: compared(thirds, own.averages, players).map(({ you, rank_median }, index) => ({
      third: THIRDS[index] as (typeof THIRDS)[number],
      you: you ?? 0,
      rank_median: rank_median ?? 0,
    })),
    roles: hasRoles
      ? {
          fair_share: share(100 / teamSizes[range.playlist]),
          most_back: share(back),
          most_forward: share(forward),
        }
      : null,
    positioning: compared(POSITIONING, own.averages, players),
    by_result: BY_RESULT.map((name) => ({
      ...infoOf(name),
      won: shown(name, results.get(true)?.[name]),
      lost: shown(name, results.get(false)?.[name]),
    })),
  };
}

/** Returns the user's averages in matches that were won (`true`) and lost (`false`). */
async function byResult(
  db: Database,
  { userId, playlist, since }: Range,
): Promise<ReadonlyMap<boolean, Averages>> {
  const text = `SELECT l.won, ${averagesSql(BY_RESULT)} FROM ${OWN_LINES} GROUP BY l.won`;
  const rows = await ask<Averages & { won: boolean }>(db, text, [userId, playlist, since]);
  return new Map(rows.map((row) => [row.won, row]));
}
