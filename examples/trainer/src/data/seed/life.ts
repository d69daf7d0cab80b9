import type { Random } from "@pawl/example-data-parts";
import { type ExerciseInput, exerciseOf } from "../../workout/index.ts";
import { dayOf, mondayOf, plusDays } from "../dates.ts";
import { type Known, sessions } from "./catalogue.ts";

/** The length of the history, in weeks. */
const WEEKS = 10;
/** The weekdays on which the sample user trains; Monday is 0. */
const TRAINING_DAYS = [0, 2, 4];

/** One exercise of the history, in the form that `seedTrainer()` inserts. */
export interface SeedRow {
  call_key: string;
  workout_id: string;
  workout_title: string;
  workout_notes: string | null;
  performed_on: string;
  position: number;
  exercise_name: string;
  exercise_type: string;
  exercise: object;
  muscles: object;
  goals: object;
}

/**
 * Creates ten weeks of history that end yesterday: three workouts a week, some missed, with loads that grow
 * every second week.
 */
export function historyUntil(now: number, random: Random): SeedRow[] {
  const today = dayOf(now);
  const first = plusDays(mondayOf(today), -7 * (WEEKS - 1));
  const days = Array.from({ length: WEEKS }, (_, week) =>
    TRAINING_DAYS.map((weekday) => ({ week, day: plusDays(first, week * 7 + weekday) })),
  ).flat();
  return days.flatMap(({ week, day }, at) => {
    const isMissed = random() < 0.08;
    return day >= today || isMissed ? [] : sessionOn(day, week, at, random);
  });
}

function sessionOn(day: string, week: number, at: number, random: Random): SeedRow[] {
  const session = sessions[at % sessions.length];
  if (session === undefined) return [];
  return session.exercises.map((known, index) => {
    const { id: _id, order: _order, ...exercise } = exerciseOf(grown(known, week, random), "", index + 1);
    return {
      call_key: `seed:${at}`,
      workout_id: `seed-${at}`,
      workout_title: session.title,
      workout_notes: at % 7 === 3 ? "Felt strong" : null,
      performed_on: day,
      position: index + 1,
      exercise_name: exercise.exercise_name,
      exercise_type: exercise.exercise_type,
      exercise,
      muscles: exercise.muscles_utilized,
      goals: exercise.goals_addressed,
    };
  });
}

/**
 * Returns the exercise as the user did it in a given week: the load grows every second week, and the last set
 * sometimes has one repetition less.
 */
function grown({ exercise, step }: Known, week: number, random: Random): ExerciseInput {
  const more = step * Math.floor(week / 2);
  if (exercise.exercise_type === "hold")
    return { ...exercise, hold_sec: exercise.hold_sec.map((seconds) => seconds + more) };
  if (exercise.exercise_type !== "reps") return exercise;
  const isTired = random() < 0.3;
  const last = exercise.reps.length - 1;
  const reps = exercise.reps.map((count, set) => count - (isTired && set === last ? 1 : 0));
  const { load_each } = exercise;
  if (load_each !== undefined) return { ...exercise, reps, load_each: load_each.map((load) => load + more) };
  return { ...exercise, reps: reps.map((count) => count + more) };
}

/**
 * Creates measurements for half a year, one every two weeks, each a little lighter and leaner than the last.
 */
export function measurementsUntil(now: number, random: Random): object[] {
  const today = dayOf(now);
  return Array.from({ length: 13 }, (_, at) => ({
    measured_on: plusDays(today, -1 - at * 14),
    weight_kg: Math.round((81.5 + at * 0.25 + random() * 0.6) * 10) / 10,
    body_fat_percent: Math.round((16 + at * 0.2 + random() * 0.3) * 10) / 10,
  }));
}
