import * as z from "zod";
import { type Exercise, type ExerciseInput, exerciseInput } from "./exercise.ts";
import { MAX_EXERCISES } from "./fields.ts";
import type { WorkoutPayload } from "./fold.ts";
import { groupProblems } from "./groups.ts";

/** A workout as a model sends it. */
export const workoutInput = z
  .strictObject({
    title: z.string().trim().min(1).max(120),
    description: z.string().trim().min(1).max(500).optional(),
    difficulty: z.enum(["easy", "moderate", "hard"]).optional(),
    estimated_duration_min: z.int().min(1).max(600).optional(),
    exercises: z.array(exerciseInput).min(1).max(MAX_EXERCISES),
  })
  .superRefine(({ exercises }, context) => {
    for (const message of groupProblems(inOrder(exercises)))
      context.addIssue({ code: "custom", path: ["exercises"], message });
  });
export type WorkoutInput = z.infer<typeof workoutInput>;

/**
 * Returns the workout in its stored form: sorted by `order`, numbered from 1 without gaps, each exercise with
 * an id.
 */
export function workoutOf({ exercises, ...rest }: WorkoutInput, newId: () => string): WorkoutPayload {
  return { ...rest, exercises: inOrder(exercises).map((input, at) => exerciseOf(input, newId(), at + 1)) };
}

/** Returns an exercise in its stored form. A single value for all sets is repeated for each. */
export function exerciseOf(input: ExerciseInput, id: string, order: number): Exercise {
  return { id, ...spread(input), order };
}

/** Extends each list to one value per set by repeating its last value. */
export function spread<E extends ExerciseInput>(exercise: E): E {
  if (!("sets" in exercise)) return exercise;
  const { sets } = exercise;
  const filled = (list: readonly number[] | undefined) =>
    list && { list: Array.from({ length: sets }, (_, at) => list[at] ?? list.at(-1) ?? 0) };
  const lists =
    exercise.exercise_type === "reps" ? (["reps", "load_each"] as const) : (["hold_sec"] as const);
  const found = lists.flatMap((name) => {
    const made = filled((exercise as { [name: string]: unknown })[name] as readonly number[] | undefined);
    return made === undefined ? [] : [[name, made.list]];
  });
  return { ...exercise, ...Object.fromEntries(found) };
}

/** Sorts by `order`. Exercises without one keep their place in the list. */
function inOrder(exercises: readonly ExerciseInput[]): ExerciseInput[] {
  const keyed = exercises.map((exercise, at) => ({ exercise, order: exercise.order ?? at + 1 }));
  return keyed.sort((a, b) => a.order - b.order).map(({ exercise }) => exercise);
}
