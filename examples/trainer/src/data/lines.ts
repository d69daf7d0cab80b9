import { named } from "../base/named.ts";
import type { HistoryRow, Location, Settings } from "./rows.ts";
import { distanceText, toKg, toKm, weightNumber } from "./units.ts";

/** Formats one workout of the history, with a line for each exercise. */
export function workoutLines(rows: readonly HistoryRow[], units: Settings): string {
  const [first] = rows;
  if (first === undefined) return "";
  const notes = first.workout_notes === null ? "" : ` (${named(first.workout_notes, 300)})`;
  const head = `${first.performed_on}: ${named(first.workout_title)}${notes}`;
  return [head, ...rows.map((row) => `  - ${named(row.exercise_name)}: ${doseOf(row.exercise, units)}`)].join(
    "\n",
  );
}

/**
 * Describes the sets of an exercise, e.g. `8, 8, 7 reps at 60 kg`. Loads and distances are in the user's
 * units.
 */
export function doseOf(exercise: { readonly [field: string]: unknown }, units: Settings): string {
  const { reps, hold_sec, duration_min, distance, distance_unit, rounds, work_sec, rest_sec } = exercise;
  if (Array.isArray(reps)) return `${reps.join(", ")} reps${loadOf(exercise, units)}`;
  if (Array.isArray(hold_sec)) return `held ${hold_sec.join(", ")} s`;
  if (typeof duration_min === "number") {
    const far =
      typeof distance === "number" ? `, ${distanceText(toKm(distance, String(distance_unit)), units)}` : "";
    return `${duration_min} min${far}`;
  }
  return `${rounds} rounds of ${work_sec} s, ${rest_sec} s rest`;
}

function loadOf(
  { load_each, load_unit }: { readonly [field: string]: unknown },
  { weight_unit }: Settings,
): string {
  if (!Array.isArray(load_each) || load_each.length === 0) return "";
  // Loads that are already in the user's unit are not converted, so that no rounding changes them.
  const loads = load_each.map((load) =>
    load_unit === weight_unit
      ? Number(load)
      : weightNumber(toKg(Number(load), String(load_unit)), weight_unit),
  );
  const text = new Set(loads).size === 1 ? `${loads[0]}` : loads.join(", ");
  return ` at ${text} ${weight_unit}`;
}

/** Lists a location's equipment, one line each, e.g. `  - Dumbbells (free_weights): 5, 10 kg`. */
export function equipmentLines(location: Location, units: Settings): string[] {
  return equipmentOf(location, units).map((line) => `  - ${line}`);
}

/** Lists a location's equipment on one line. */
export function equipmentText(location: Location, units: Settings): string {
  return equipmentOf(location, units).join("; ");
}

function equipmentOf({ equipment }: Location, { weight_unit }: Settings): string[] {
  return equipment.slice(0, 60).map(({ name, kind, weights_kg }) => {
    const what = kind === undefined ? "" : ` (${named(kind, 60)})`;
    const weights = (weights_kg ?? []).slice(0, 60).map((kg) => weightNumber(kg, weight_unit));
    return `${named(name)}${what}${weights.length === 0 ? "" : `: ${weights.join(", ")} ${weight_unit}`}`;
  });
}

/** Formats a share as a percentage, e.g. `35 %`. */
export function percent(share: number): string {
  return `${Math.round(share * 100)} %`;
}
