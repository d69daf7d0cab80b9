import { type JsonObject, type ToolContext, tool } from "@pawl/core";
import * as z from "zod";
import { harmless, named } from "../base/named.ts";
import { adjust, exerciseFields } from "../workout/index.ts";
import { exerciseId, reason } from "./exercise-id.ts";
import { activeWorkout, exerciseIn, resultOf } from "./support.ts";

/**
 * The result of `adjust_exercise`. The workout is folded from `adjustments`: all fields that changed,
 * including derived ones.
 */
export interface AdjustedExercise {
  success: true;
  exercise_id: string;
  exercise_name: string;
  adjustments: JsonObject;
  old_values: JsonObject;
}

/** Changes fields of an exercise, provided that it stays valid for its type. */
export const adjustExercise = tool({
  name: "adjust_exercise",
  description:
    "Changes fields of an exercise of the active workout, e.g. sets, reps, load_each or rest_sec; null removes an optional " +
    "field. id, exercise_type and order cannot be changed; to get another exercise, use swap_exercise.",
  input: z.object({
    exercise_id: exerciseId,
    adjustments: exerciseFields.describe("The fields to change, with their new values."),
    reason,
  }),
  category: "exercise",
  status: { start: "Adjusting exercise...", done: "Exercise updated" },
  idempotent: true,
  repeatable: true,
  execute: async ({ exercise_id, adjustments }, context: ToolContext): Promise<AdjustedExercise> => {
    const exercise = exerciseIn(await activeWorkout(context), exercise_id);
    const adjusted = adjust(exercise, adjustments);
    if (!adjusted.ok) throw new Error(adjusted.problem);
    return {
      success: true,
      exercise_id: exercise.id,
      exercise_name: adjusted.exercise.exercise_name,
      adjustments: adjusted.adjustments,
      old_values: adjusted.oldValues,
    };
  },
  format: (result) => {
    const { exercise_name, adjustments, old_values } = resultOf<AdjustedExercise>(result);
    const old = new Map(Object.entries(old_values));
    const changes = Object.entries(adjustments).map(
      ([field, value]) => `${field} from ${JSON.stringify(old.get(field))} to ${JSON.stringify(value)}`,
    );
    const what =
      changes.length === 0
        ? "Nothing changed: it already had these values."
        : `Changed ${changes.join(", ")}.`;
    return harmless(`"${named(exercise_name)}": ${what}`);
  },
});
