import * as z from "zod";
import * as field from "./fields.ts";
import { goalShares, muscleShares } from "./shares.ts";

export const exerciseTypes = ["reps", "hold", "duration", "intervals"] as const;
export type ExerciseType = (typeof exerciseTypes)[number];

export const groupTypes = ["circuit", "superset", "giant_set", "warmup", "cooldown", "sequence"] as const;
export type GroupType = (typeof groupTypes)[number];

/** A group of exercises that belong together, e.g. a superset. */
export const groupSchema = z.strictObject({
  id: z
    .string()
    .trim()
    .min(1)
    .max(60)
    .describe('The same for all exercises of the group, e.g. "superset-1".'),
  type: z.enum(groupTypes),
  position: z.int().min(1).max(field.MAX_EXERCISES).describe("The place within the group, from 1."),
  name: field.groupName.optional(),
  rounds: field.groupRounds.optional(),
  rest_between_rounds_sec: field.groupRest.optional(),
});

const common = {
  exercise_name: field.name,
  order: field.order.optional(),
  muscles_utilized: muscleShares,
  goals_addressed: goalShares,
  reasoning: field.reasoning,
  group: groupSchema.optional(),
};

/** Requires each list to have one value for each set, or a single one for all. */
function perSet(names: readonly string[]) {
  return (exercise: { sets: number }, context: z.RefinementCtx<{ sets: number }>): void => {
    for (const name of names) {
      const list = Object.hasOwn(exercise, name) && (exercise as Record<string, unknown>)[name];
      if (!Array.isArray(list) || list.length === 1 || list.length === exercise.sets) continue;
      const message = `There are ${exercise.sets} sets but ${list.length} values. Give one for each set, or a single one for all.`;
      context.addIssue({ code: "custom", path: [name], message });
    }
  };
}

const repsExercise = z
  .strictObject({
    ...common,
    exercise_type: z.literal("reps").describe("Counted repetitions, with or without load."),
    sets: field.sets,
    reps: field.reps,
    rest_sec: field.restSec,
    load_each: field.loadEach.optional(),
    load_unit: field.loadUnit.optional(),
  })
  .superRefine(perSet(["reps", "load_each"]))
  .superRefine(({ load_each, load_unit }, context) => {
    if (load_each !== undefined && load_unit === undefined)
      context.addIssue({ code: "custom", path: ["load_unit"], message: "A load needs its unit, kg or lb." });
  });

const holdExercise = z
  .strictObject({
    ...common,
    exercise_type: z.literal("hold").describe("A position that is held."),
    sets: field.sets,
    hold_sec: field.holdSec,
    rest_sec: field.restSec,
  })
  .superRefine(perSet(["hold_sec"]));

const durationExercise = z
  .strictObject({
    ...common,
    exercise_type: z.literal("duration").describe("One continuous effort."),
    duration_min: field.durationMin,
    distance: field.distance.optional(),
    distance_unit: field.distanceUnit.optional(),
    target_pace: field.targetPace.optional(),
  })
  .superRefine(({ distance, distance_unit }, context) => {
    if (distance !== undefined && distance_unit === undefined)
      context.addIssue({ code: "custom", path: ["distance_unit"], message: "A distance needs its unit." });
  });

const intervalsExercise = z.strictObject({
  ...common,
  exercise_type: z.literal("intervals").describe("Work and rest in turn."),
  rounds: field.rounds,
  work_sec: field.workSec,
  rest_sec: field.restSec,
});

/**
 * An exercise as a model sends it. It has no id, because the server assigns one; its `order` is used only for
 * sorting. Fields of another exercise type are refused rather than dropped, so that the model learns of its
 * mistake.
 */
export const exerciseInput = z.discriminatedUnion("exercise_type", [
  repsExercise,
  holdExercise,
  durationExercise,
  intervalsExercise,
]);
export type ExerciseInput = z.infer<typeof exerciseInput>;

/** An exercise of a workout. Lists have one value for each set. */
export type Exercise = ExerciseInput & { id: string; order: number };
export type Group = z.infer<typeof groupSchema>;

/**
 * The fields that an adjustment may name, of all exercise types. Unknown fields pass this schema: `adjust()`
 * refuses them, with an error that names the field.
 */
export const exerciseFields = z.looseObject({
  exercise_name: field.name.optional(),
  sets: field.sets.optional(),
  reps: field.reps.optional(),
  rest_sec: field.restSec.optional(),
  load_each: field.loadEach.nullish(),
  load_unit: field.loadUnit.nullish(),
  hold_sec: field.holdSec.optional(),
  duration_min: field.durationMin.optional(),
  distance: field.distance.nullish(),
  distance_unit: field.distanceUnit.nullish(),
  target_pace: field.targetPace.nullish(),
  rounds: field.rounds.optional(),
  work_sec: field.workSec.optional(),
  muscles_utilized: muscleShares.optional(),
  goals_addressed: goalShares.optional(),
  reasoning: field.reasoning.optional(),
});
