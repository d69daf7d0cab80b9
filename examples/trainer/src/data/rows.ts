import { jsonbText } from "@pawl/core/store";
import type { Exercise } from "../workout/index.ts";

// The rows of the tables, as the methods return them. Days are `YYYY-MM-DD`.

export interface Measurement {
  measured_on: string;
  weight_kg: number | null;
  body_fat_percent: number | null;
}

export interface Profile {
  display_name: string | null;
  sex: string | null;
  birth_date: string | null;
  height_cm: number | null;
  experience: string | null;
  /** The body measurements, newest first. */
  measurements: Measurement[];
}

export interface Settings {
  weight_unit: "kg" | "lb";
  distance_unit: "km" | "mi";
  /** How long a workout may take, in minutes. */
  session_minutes: number | null;
  sessions_per_week: number | null;
}

export interface CategoryGoal {
  category: string;
  /** How important the goal is, from 0 to 1. */
  weight: number;
  description: string | null;
}

export interface MuscleGoal {
  muscle: string;
  /** How important the goal is, from 0 to 1. */
  weight: number;
}

export interface Preference {
  kind: string;
  description: string;
  starts_on: string;
  /** The last day; `null` if it has no end. */
  ends_on: string | null;
}

export interface Equipment {
  name: string;
  /** The kind of equipment, e.g. `free_weights`. */
  kind?: string;
  /** The available weights, in kilograms. */
  weights_kg?: number[];
}

export interface Location {
  id: string;
  name: string;
  description: string;
  equipment: Equipment[];
  current_location: boolean;
}

/** An exercise as the user did it: `sets` and the lists have the actual values, not the planned ones. */
export type DoneExercise = Omit<Exercise, "id" | "order"> & { planned_sets?: number; notes?: string };

/** One exercise of the history. */
export interface HistoryRow {
  workout_id: string;
  workout_title: string;
  workout_notes: string | null;
  performed_on: string;
  position: number;
  exercise_name: string;
  exercise_type: string;
  exercise: { readonly [field: string]: unknown };
  muscles: { muscle: string; share: number }[];
  goals: { goal: string; share: number }[];
}

/**
 * Converts rows to one parameter. It is JSON as text, because drivers differ in how they send JSON values.
 */
export function rowsParam(rows: readonly object[]): string {
  return jsonbText(rows);
}
