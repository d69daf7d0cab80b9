import { type ToolContext, tool } from "@pawl/core";
import * as z from "zod";
import { named } from "../base/named.ts";
import { type Exercise, exerciseInput, exerciseOf, inPlaceOf } from "../workout/index.ts";
import { exerciseId, reason } from "./exercise-id.ts";
import { activeWorkout, exerciseIn, resultOf } from "./support.ts";

/** The result of `swap_exercise`. It has the whole exercises, because the workout is folded from it. */
export interface Swapped {
  success: true;
  old_exercise: Exercise;
  new_exercise: Exercise;
  new_id: string;
  reason?: string;
}

/**
 * Creates the tool `swap_exercise`.
 *
 * @param newId creates the ids of exercises
 */
export function swapExercise(newId: () => string) {
  return tool({
    name: "swap_exercise",
    description:
      "Replaces an exercise of the active workout by another one. The new one gets the place and the group of the old one, " +
      "whatever its own order and group say.",
    input: z.object({
      exercise_id: exerciseId,
      new_exercise: exerciseInput.describe("The whole exercise that takes its place."),
      reason,
    }),
    category: "exercise",
    status: { start: "Finding alternative...", done: "Exercise swapped" },
    idempotent: true,
    repeatable: true,
    execute: async ({ exercise_id, new_exercise, reason }, context: ToolContext): Promise<Swapped> => {
      const old = exerciseIn(await activeWorkout(context), exercise_id);
      const id = newId();
      const made = inPlaceOf(old, exerciseOf(new_exercise, id, old.order));
      return { success: true, old_exercise: old, new_exercise: made, new_id: id, ...(reason && { reason }) };
    },
    format: (result) => {
      const { old_exercise, new_exercise } = resultOf<Swapped>(result);
      const [before, after] = [named(old_exercise.exercise_name), named(new_exercise.exercise_name)];
      return `Exercise ${new_exercise.order} is now "${after}" (id ${new_exercise.id}) instead of "${before}".`;
    },
  });
}
