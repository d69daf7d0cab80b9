import { mondayOf, plusDays } from "./dates.ts";
import type { CategoryGoal, HistoryRow, MuscleGoal } from "./rows.ts";
import { toKg } from "./units.ts";

/** A muscle's or a category's share of the training and its goal. Both are from 0 to 1. */
export interface Part {
  name: string;
  share: number;
  /**
   * The share to aim for: the weight of its goal, divided by the weights of all goals; `null` without a goal.
   */
  goal: number | null;
}

export interface Distribution {
  /** The number of days that were counted. */
  days: number;
  workouts: number;
  sets: number;
  /**
   * The shares by muscle, the largest first. Includes muscles that have a goal and were not trained, with
   * share 0.
   */
  muscles: Part[];
  categories: Part[];
}

export interface Progress {
  /** The totals of each week, oldest first. Weeks begin on Mondays; the current one is last. */
  weeks: { week_start: string; workouts: number; sets: number; volume_kg: number }[];
  /** The shares over all these weeks, the largest first. They sum to 1. */
  muscles: { muscle: string; share: number; sets: number }[];
}

/** Computes each muscle's and each category's share of the sets, beside its goal. */
export function distributionOf(
  rows: readonly HistoryRow[],
  goals: { categories: readonly CategoryGoal[]; muscles: readonly MuscleGoal[] },
  days: number,
): Distribution {
  const muscleGoals = goals.muscles.map(({ muscle, weight }) => [muscle, weight] as const);
  const categoryGoals = goals.categories.map(
    ({ category, weight }) => [category.toLowerCase(), weight] as const,
  );
  return {
    days,
    workouts: workoutsIn(rows),
    sets: sum(rows.map(setsOf)),
    muscles: parts(
      weighed(rows, ({ muscles }) => muscles.map(({ muscle, share }) => [muscle, share])),
      muscleGoals,
    ),
    categories: parts(
      weighed(rows, ({ goals }) => goals.map(({ goal, share }) => [goal.toLowerCase(), share])),
      categoryGoals,
    ),
  };
}

/** Sums up the training week by week. */
export function progressOf(rows: readonly HistoryRow[], weeks: number, today: string): Progress {
  const last = mondayOf(today);
  const starts = Array.from({ length: weeks }, (_, at) => plusDays(last, (at + 1 - weeks) * 7));
  const byWeek = Map.groupBy(rows, ({ performed_on }) => mondayOf(performed_on));
  const counted = starts.flatMap((start) => byWeek.get(start) ?? []);
  const sets = weighed(counted, ({ muscles }) => muscles.map(({ muscle, share }) => [muscle, share]));
  const total = sum([...sets.values()]);
  return {
    weeks: starts.map((week_start) => {
      const own = byWeek.get(week_start) ?? [];
      return {
        week_start,
        workouts: workoutsIn(own),
        sets: sum(own.map(setsOf)),
        volume_kg: rounded(sum(own.map(volumeOf)), 1),
      };
    }),
    muscles: byShare([...sets]).map(([muscle, value]) => ({
      muscle,
      share: rounded(value / total, 4),
      sets: rounded(value, 1),
    })),
  };
}

/** Returns the number of sets of an exercise; 1 for types without sets. */
export function setsOf({ exercise }: Pick<HistoryRow, "exercise">): number {
  return finite(exercise.sets, 1);
}

/** Sums repetitions × load over all sets, in kilograms. */
export function volumeOf({ exercise }: Pick<HistoryRow, "exercise">): number {
  const { reps, load_each, load_unit } = exercise;
  if (!Array.isArray(reps) || !Array.isArray(load_each)) return 0;
  return sum(
    reps.map(
      (count, at) => finite(count, 0) * toKg(finite(load_each[at] ?? load_each.at(-1), 0), String(load_unit)),
    ),
  );
}

function weighed(
  rows: readonly HistoryRow[],
  sharesOf: (row: HistoryRow) => (readonly [name: string, share: number])[],
): Map<string, number> {
  const found = new Map<string, number>();
  for (const row of rows) {
    const sets = setsOf(row);
    for (const [name, share] of sharesOf(row)) found.set(name, (found.get(name) ?? 0) + sets * share);
  }
  return found;
}

function parts(done: ReadonlyMap<string, number>, goals: readonly (readonly [string, number])[]): Part[] {
  const total = sum([...done.values()]);
  const aimed = sum(goals.map(([, weight]) => weight));
  const goalOf = new Map(goals);
  const names = [...new Set([...done.keys(), ...goalOf.keys()])];
  const shares = names.map((name) => [name, total === 0 ? 0 : (done.get(name) ?? 0) / total] as const);
  return byShare(shares).map(([name, share]) => {
    const weight = goalOf.get(name);
    return {
      name,
      share: rounded(share, 4),
      goal: weight === undefined || aimed === 0 ? null : rounded(weight / aimed, 4),
    };
  });
}

function byShare<T extends readonly [string, number]>(list: T[]): T[] {
  return list.toSorted(([a, x], [b, y]) => y - x || a.localeCompare(b));
}

const workoutsIn = (rows: readonly HistoryRow[]): number =>
  new Set(rows.map(({ workout_id }) => workout_id)).size;
const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
const finite = (value: unknown, otherwise: number): number =>
  Number.isFinite(value) ? (value as number) : otherwise;

function rounded(value: number, digits: number): number {
  return Math.round(value * 10 ** digits) / 10 ** digits;
}
