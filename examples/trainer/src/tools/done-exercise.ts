import { PawlError } from "@pawl/core";
import * as z from "zod";
import { named } from "../base/named.ts";
import type { DoneExercise } from "../data/index.ts";
import type { Exercise } from "../workout/index.ts";
import { exerciseId } from "./exercise-id.ts";

const perSet = (max: number) => z.array(z.number().min(0).max(max)).min(1).max(20).optional();

/** An exercise that the user did. Fields are absent if it was done as planned. */
export const completedExercise = z.strictObject({
  exercise_id: exerciseId,
  completed_sets: z.int().min(0).max(20).optional().describe("Sets that were done, if not all."),
  actual_reps: perSet(1_000).describe("Repetitions of each set that was done."),
  actual_load: perSet(2_000).describe("Load of each set that was done."),
  load_unit: z.enum(["kg", "lb"]).optional(),
  actual_hold_sec: perSet(3_600).describe("Seconds of each set that was done."),
  actual_duration_min: z.number().min(0).max(1_440).optional(),
  completed_rounds: z.int().min(0).max(100).optional(),
  notes: z.string().trim().max(500).optional(),
});
export type CompletedExercise = z.infer<typeof completedExercise>;

/**
 * Returns the exercise with its actual values; `undefined` if the user did none of it.
 *
 * @param unit the unit of loads that name no unit
 * @throws PawlError `invalid_input` if a list has neither one value nor one for each set.
 */
export function doneExercise(
  { id: _id, order: _order, group: _group, ...planned }: Exercise,
  done: CompletedExercise,
  unit: "kg" | "lb",
): DoneExercise | undefined {
  const made = amounts(planned as Exercise, done, unit);
  return made && ({ ...planned, ...made, ...(done.notes && { notes: done.notes }) } as DoneExercise);
}

function amounts(planned: Exercise, done: CompletedExercise, unit: "kg" | "lb"): object | undefined {
  switch (planned.exercise_type) {
    case "duration": {
      const minutes = done.actual_duration_min ?? planned.duration_min;
      return minutes === 0 ? undefined : { duration_min: minutes };
    }
    case "intervals": {
      const rounds = done.completed_rounds ?? planned.rounds;
      return rounds === 0 ? undefined : { rounds };
    }
    default:
      return setsDone(planned, done, unit);
  }
}

function setsDone(
  planned: Extract<Exercise, { sets: number }>,
  { completed_sets, actual_reps, actual_load, actual_hold_sec, load_unit }: CompletedExercise,
  unit: "kg" | "lb",
): object | undefined {
  const counted = planned.exercise_type === "reps" ? actual_reps : actual_hold_sec;
  const sets = completed_sets ?? counted?.length ?? planned.sets;
  const given = { actual_reps, actual_load, actual_hold_sec };
  for (const [name, list] of Object.entries(given)) {
    if (list !== undefined && list.length !== sets && list.length !== 1)
      throw new PawlError(
        "invalid_input",
        `"${named(planned.exercise_name)}": ${sets} sets were done, but ${name} has ${list.length} values.`,
      );
  }
  if (sets === 0) return undefined;
  const each = (list: readonly number[]) =>
    Array.from({ length: sets }, (_, at) => list[at] ?? list.at(-1) ?? 0);
  const base = { sets, ...(sets !== planned.sets && { planned_sets: planned.sets }) };
  if (planned.exercise_type === "hold")
    return { ...base, hold_sec: each(actual_hold_sec ?? planned.hold_sec) };
  const load = actual_load ?? planned.load_each;
  return {
    ...base,
    reps: each(actual_reps ?? planned.reps),
    ...(load !== undefined && { load_each: each(load), load_unit: load_unit ?? planned.load_unit ?? unit }),
  };
}
