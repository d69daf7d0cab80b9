/** A statistic of replays, as tools and charts name it. */
export interface Metric {
  readonly name: string;
  readonly label: string;
  /** The unit of its values, e.g. `per match`, `%`, `uu/s`. */
  readonly unit: string;
  /** Which values are better. `neither`: it describes a style. */
  readonly better: "higher" | "lower" | "neither";
  readonly decimals: number;
  /**
   * The SQL of its value over several lines of the table `line l`. It is part of this program: no text of a
   * model or a user becomes SQL.
   */
  readonly sql: string;
}

type Row = readonly [
  name: string,
  label: string,
  unit: string,
  better: Metric["better"],
  decimals: number,
  sql?: string,
];

const rows = [
  ["score", "Score", "per match", "higher", 0],
  ["goals", "Goals", "per match", "higher", 2],
  ["assists", "Assists", "per match", "higher", 2],
  ["saves", "Saves", "per match", "higher", 2],
  ["shots", "Shots", "per match", "higher", 2],
  [
    "shooting_percentage",
    "Goals per shot",
    "%",
    "higher",
    1,
    "100.0 * sum(l.goals) / nullif(sum(l.shots), 0)",
  ],
  ["win_rate", "Matches won", "%", "higher", 1, "100.0 * avg(l.won::integer)"],
  ["demos_inflicted", "Demolitions", "per match", "neither", 2],
  ["demos_taken", "Times demolished", "per match", "lower", 2],
  ["boost_per_minute", "Boost used", "per minute", "higher", 0],
  ["boost_collected_per_minute", "Boost collected", "per minute", "higher", 0],
  ["average_boost", "Boost in the tank", "of 100", "neither", 1],
  ["percent_zero_boost", "Time without boost", "%", "lower", 1],
  ["percent_full_boost", "Time at full boost", "%", "neither", 1],
  ["boost_from_small_pads", "Boost from small pads", "per match", "neither", 0],
  ["boost_from_big_pads", "Boost from big pads", "per match", "neither", 0],
  [
    "big_pad_share",
    "Share of boost from big pads",
    "%",
    "neither",
    1,
    "100.0 * sum(l.boost_from_big_pads) / nullif(sum(l.boost_from_big_pads + l.boost_from_small_pads), 0)",
  ],
  ["boost_stolen", "Boost taken in the opponents' half", "per match", "higher", 0],
  ["average_speed", "Average speed", "uu/s", "higher", 0],
  ["percent_supersonic", "Time at supersonic speed", "%", "higher", 1],
  ["percent_ground", "Time on the ground", "%", "neither", 1],
  ["percent_low_air", "Time low in the air", "%", "neither", 1],
  ["percent_high_air", "Time high in the air", "%", "higher", 1],
  ["percent_behind_ball", "Time behind the ball", "%", "higher", 1],
  ["percent_defensive_third", "Time in the defensive third", "%", "neither", 1],
  ["percent_neutral_third", "Time in the neutral third", "%", "neither", 1],
  ["percent_offensive_third", "Time in the offensive third", "%", "neither", 1],
  ["percent_most_back", "Time as the last player back", "%", "neither", 1],
  ["percent_most_forward", "Time as the player furthest forward", "%", "neither", 1],
  ["distance_to_ball", "Average distance to the ball", "uu", "lower", 0],
  ["percent_possession", "Time in possession", "%", "higher", 1],
  ["touches", "Touches", "per match", "higher", 1],
  ["mmr", "MMR", "points", "higher", 0],
] as const satisfies readonly Row[];

/** The name of a metric. */
export type MetricName = (typeof rows)[number][0];

/** All metrics, by name. */
export const metrics: ReadonlyMap<string, Metric> = new Map(
  (rows as readonly Row[]).map(([name, label, unit, better, decimals, sql = `avg(l.${name})`]) => [
    name,
    { name, label, unit, better, decimals, sql },
  ]),
);

/** The names of all metrics. */
export const metricNames: readonly [MetricName, ...MetricName[]] = rows.map(([name]) => name) as [
  MetricName,
  ...MetricName[],
];

/** Returns the metric of this name. */
export function metric(name: MetricName): Metric {
  return metrics.get(name) as Metric;
}
