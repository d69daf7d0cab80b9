import { PawlError, type ToolContext, tool } from "@pawl/core";
import * as z from "zod";
import type { TrainerDeps } from "../data/index.ts";
import { MAX_EXERCISES } from "../workout/index.ts";
import { completedExercise, doneExercise } from "./done-exercise.ts";
import { activeWorkout, DATABASE_TIMEOUT_MS, exerciseIn, orElse, resultOf } from "./support.ts";

export interface Logged {
  success: true;
  logged_count: number;
  total_in_workout: number;
}

/** Adds what the user did to the history, once per call, and ends the workout. */
export const logWorkout = tool({
  name: "log_workout",
  description:
    "Adds what the user has done to their history and ends the active workout. Only when they say that they are done. " +
    "Name each exercise that was done, and what differed from the plan.",
  input: z.object({
    completed_exercises: z.array(completedExercise).min(1).max(MAX_EXERCISES),
    workout_notes: z.string().trim().max(2_000).optional(),
  }),
  category: "exercise",
  status: { start: "Saving your workout...", done: "Workout logged" },
  idempotent: true,
  repeatable: true,
  timeoutMs: DATABASE_TIMEOUT_MS,
  execute: async (
    { completed_exercises, workout_notes },
    context: ToolContext<TrainerDeps>,
  ): Promise<Logged> => {
    const { userId, idempotencyKey, deps } = context;
    const workout = await activeWorkout(context);
    const found = completed_exercises.map((one) => ({ one, exercise: exerciseIn(workout, one.exercise_id) }));
    const twice = found.find(
      ({ exercise }, at) => found.findIndex((other) => other.exercise === exercise) !== at,
    );
    if (twice !== undefined)
      throw new Error(`Exercise ${twice.exercise.order} is named twice. Name each one once.`);
    return await orElse("The workout could not be saved at the moment. Try once more later.", async () => {
      const { weight_unit } = await deps.trainer.settings(userId);
      const exercises = found
        .toSorted((a, b) => a.exercise.order - b.exercise.order)
        .flatMap(({ one, exercise }) => doneExercise(exercise, one, weight_unit) ?? []);
      if (exercises.length === 0)
        throw new PawlError("invalid_input", "None of these exercises was done, so there is nothing to log.");
      await deps.trainer.logWorkout(userId, {
        callKey: idempotencyKey,
        workoutId: workout.artifact_id,
        title: workout.title,
        notes: workout_notes,
        exercises,
      });
      return { success: true, logged_count: exercises.length, total_in_workout: workout.exercises.length };
    });
  },
  format: (result) => {
    const { logged_count, total_in_workout } = resultOf<Logged>(result);
    return `${logged_count} of ${total_in_workout} exercises are in the history. There is no active workout now.`;
  },
});
