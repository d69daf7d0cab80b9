import type { Database } from "@pawl/postgres";
import { type MetricName, metric } from "../base/metrics.ts";
import { rounded } from "../base/numbers.ts";
import { rankAt } from "../base/ranks.ts";
import type { RankBenchmarks, RankValues } from "../base/shapes.ts";
import { infoOf, ownAverages, playersOfRanks, quantile, type Range, shown, valuesOf } from "./averages.ts";
import { placeOfUser } from "./standing.ts";

/** The rank that is compared with if the user has none: the middle of all players. */
const MIDDLE_RANK = 9;

/** Compares a user with players of some ranks. Default: the user's own rank and the one a tier above. */
export async function benchmarksOf(
  db: Database,
  range: Range,
  query: { daysBack: number; ranks: readonly number[]; metrics: readonly MetricName[] },
): Promise<RankBenchmarks> {
  const { playlist, userId } = range;
  const [place, own] = await Promise.all([
    placeOfUser(db, userId, playlist),
    ownAverages(db, range, query.metrics),
  ]);
  const home = place?.rank.index ?? MIDDLE_RANK;
  const wanted = query.ranks.length > 0 ? query.ranks : [home, rankAt(home + 3).index];
  const indexes = [...new Set(wanted)].sort((a, b) => a - b);
  const players = await playersOfRanks(db, playlist, indexes, query.metrics);
  const byRank = Map.groupBy(players, ({ rank }) => rank);
  return {
    playlist,
    days_back: query.daysBack,
    you: place === undefined || own.matches === 0 ? null : { ...place.standing, matches: own.matches },
    metrics: query.metrics.map((name) => ({
      ...infoOf(name),
      you: shown(name, own.averages[name]),
      ranks: indexes.flatMap((index) => {
        const values = valuesOf(byRank.get(index) ?? [], name);
        return values.length === 0 ? [] : [valuesAt(index, name, values, own.averages[name])];
      }),
    })),
  };
}

function valuesAt(
  index: number,
  name: MetricName,
  values: readonly number[],
  you: number | null | undefined,
): RankValues {
  const at = (share: number) => rounded(quantile(values, share) ?? 0, metric(name).decimals);
  const below = typeof you === "number" ? values.filter((value) => value < you).length : undefined;
  return {
    rank: rankAt(index).name,
    players: values.length,
    p10: at(0.1),
    p25: at(0.25),
    p50: at(0.5),
    p75: at(0.75),
    p90: at(0.9),
    your_percentile: below === undefined ? null : Math.round((100 * below) / values.length),
  };
}
