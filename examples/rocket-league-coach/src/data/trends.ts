import { ask } from "@pawl/example-data-parts";
import type { Database } from "@pawl/postgres";
import { type MetricName, metric } from "../base/metrics.ts";
import { sum } from "../base/numbers.ts";
import type { PlayerTrends, TrendSeries } from "../base/shapes.ts";
import { type Averages, averagesSql, infoOf, OWN_LINES, type Range, shown } from "./averages.ts";

/** Changes below this share of the first value are called steady. */
const STEADY = 0.03;

type Window = Averages & { from_day: string; matches: number };

/** Returns the user's averages over time. The list of windows is empty without matches. */
export async function trendsOf(
  db: Database,
  range: Range,
  query: { daysBack: number; window: PlayerTrends["window"]; metrics: readonly MetricName[] },
): Promise<PlayerTrends> {
  const text = `SELECT to_char(date_trunc($4::text, r.played_at AT TIME ZONE 'UTC'), 'YYYY-MM-DD') AS from_day,
      count(*)::integer AS matches, ${averagesSql(query.metrics)}
    FROM ${OWN_LINES}
    GROUP BY 1 ORDER BY 1`;
  const values = [range.userId, range.playlist, range.since, query.window];
  const windows = await ask<Window>(db, text, values);
  return {
    playlist: range.playlist,
    window: query.window,
    days_back: query.daysBack,
    matches: sum(windows.map(({ matches }) => matches)),
    windows: windows.map(({ from_day, matches }) => ({ from: from_day, matches })),
    series: query.metrics.map((name) => seriesOf(name, windows)),
  };
}

function seriesOf(name: MetricName, windows: readonly Window[]): TrendSeries {
  const half = Math.floor(windows.length / 2);
  const first = average(name, windows.slice(0, half));
  const last = average(name, windows.slice(half));
  const isKnown = first !== null && last !== null;
  return {
    ...infoOf(name),
    values: windows.map((window) => shown(name, window[name])),
    first: shown(name, first),
    last: shown(name, last),
    change: isKnown ? shown(name, last - first) : null,
    direction: isKnown ? directionOf(name, first, last) : null,
  };
}

/** The average of some windows, in which every match counts alike. */
function average(name: MetricName, windows: readonly Window[]): number | null {
  const known = windows.flatMap((window) => {
    const value = window[name];
    return typeof value === "number" ? [{ value, matches: window.matches }] : [];
  });
  const matches = sum(known.map((one) => one.matches));
  return matches === 0 ? null : sum(known.map((one) => one.value * one.matches)) / matches;
}

function directionOf(name: MetricName, first: number, last: number): TrendSeries["direction"] {
  const change = last - first;
  if (Math.abs(change) <= Math.abs(first) * STEADY) return "steady";
  const { better } = metric(name);
  if (better === "neither") return change > 0 ? "up" : "down";
  return change > 0 === (better === "higher") ? "better" : "worse";
}
