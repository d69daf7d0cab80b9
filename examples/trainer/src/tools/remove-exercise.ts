import { type ToolContext, tool } from "@pawl/core";
import * as z from "zod";
import { named } from "../base/named.ts";
import { type Exercise, removed } from "../workout/index.ts";
import { exerciseId, reason } from "./exercise-id.ts";
import { activeWorkout, exerciseIn, resultOf } from "./support.ts";

export interface RemovedExercise {
  success: true;
  removed_exercise: Exercise;
  remaining_count: number;
  /** The remaining exercises, in their new order. */
  remaining: string[];
  reason?: string;
}

/** Removes an exercise and renumbers the others. */
export const removeExercise = tool({
  name: "remove_exercise",
  description:
    "Removes an exercise from the active workout. The others get new numbers, so read the result before you name " +
    "another one by its number.",
  input: z.object({ exercise_id: exerciseId, reason }),
  category: "exercise",
  status: { start: "Removing exercise...", done: "Exercise removed" },
  idempotent: true,
  repeatable: true,
  execute: async ({ exercise_id, reason }, context: ToolContext): Promise<RemovedExercise> => {
    const workout = await activeWorkout(context);
    const exercise = exerciseIn(workout, exercise_id);
    const { exercises } = removed(workout, exercise.id);
    return {
      success: true,
      removed_exercise: exercise,
      remaining_count: exercises.length,
      remaining: exercises.map(({ order, exercise_name }) => `${order}. ${named(exercise_name)}`),
      ...(reason && { reason }),
    };
  },
  format: (result) => {
    const { removed_exercise, remaining } = resultOf<RemovedExercise>(result);
    const left =
      remaining.length === 0 ? "The workout has no exercises left." : `Now: ${remaining.join("; ")}.`;
    return `"${named(removed_exercise.exercise_name)}" is out. ${left}`;
  },
});
