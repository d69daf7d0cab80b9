import { ask } from "@pawl/example-data-parts";
import type { Database } from "@pawl/postgres";
import type { MetricName } from "../base/metrics.ts";
import { rounded } from "../base/numbers.ts";
import { field, pads } from "../base/pads.ts";
import type { BoostAnalysis } from "../base/shapes.ts";
import { compared, OWN_LINES, ownAverages, playersOfRanks, type Range } from "./averages.ts";
import type { Place } from "./standing.ts";

const ECONOMY: readonly MetricName[] = [
  "boost_per_minute",
  "boost_collected_per_minute",
  "average_boost",
  "percent_zero_boost",
  "percent_full_boost",
  "boost_from_small_pads",
  "boost_from_big_pads",
  "big_pad_share",
  "boost_stolen",
];

/** Returns how a user gets and spends boost, beside players of the same rank. */
export async function boostOf(
  db: Database,
  range: Range,
  { daysBack, place }: { daysBack: number; place: Place },
): Promise<BoostAnalysis> {
  const { playlist, userId, since } = range;
  const [own, players, mine, theirs] = await Promise.all([
    ownAverages(db, range, ECONOMY),
    playersOfRanks(db, playlist, [place.rank.index], ECONOMY),
    pickups(db, OWN_LINES, [userId, playlist, since]),
    pickups(db, SAMPLE_LINES, [playlist, String(place.rank.index)]),
  ]);
  return {
    playlist,
    days_back: daysBack,
    matches: own.matches,
    you: place.standing,
    economy: compared(ECONOMY, own.averages, players),
    field,
    pads: pads.map((pad) => ({
      ...pad,
      per_match: mine.get(pad.id) ?? 0,
      rank_per_match: theirs.get(pad.id) ?? 0,
    })),
  };
}

const SAMPLE_LINES =
  "rl_coach.line l WHERE l.owner_id IS NULL AND l.playlist = $1 AND l.rank = $2::text::smallint";

/** Returns how often each pad is picked up in a match, by its id. */
async function pickups(
  db: Database,
  lines: string,
  values: readonly unknown[],
): Promise<ReadonlyMap<number, number>> {
  const text = `SELECT pad.place::integer - 1 AS id, avg(pad.times)::float8 AS per_match
    FROM (SELECT l.pads FROM ${lines}) AS line, unnest(line.pads) WITH ORDINALITY AS pad(times, place)
    GROUP BY pad.place`;
  const rows = await ask<{ id: number; per_match: number }>(db, text, values);
  return new Map(rows.map(({ id, per_match }) => [id, rounded(per_match, 2)]));
}
