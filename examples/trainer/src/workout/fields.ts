import * as z from "zod";

// The fields of an exercise. Their limits are higher than any training needs.

/** The most exercises of one workout. */
export const MAX_EXERCISES = 40;
/** The most sets of one exercise. */
export const MAX_SETS = 20;

const perSet = <T extends z.ZodType>(value: T, what: string) =>
  z.array(value).min(1).max(MAX_SETS).describe(`${what}: one number for each set, or a single one for all.`);

const seconds = (max: number) => z.int().min(0).max(max);

export const name = z.string().trim().min(1).max(120);
export const reasoning = z.string().trim().min(1).max(600).describe("Why this exercise, in a sentence.");
export const order = z.int().min(1).max(MAX_EXERCISES).describe("The place in the workout, from 1.");

export const sets = z.int().min(1).max(MAX_SETS);
export const reps = perSet(z.int().min(1).max(1_000), "Repetitions");
export const loadEach = perSet(z.number().min(0).max(2_000), "The load");
export const loadUnit = z.enum(["kg", "lb"]);
export const holdSec = perSet(z.int().min(1).max(3_600), "Seconds to hold");
export const restSec = seconds(3_600).describe("Seconds of rest after each set.");
export const durationMin = z.number().positive().max(1_440);
export const distance = z.number().positive().max(1_000);
export const distanceUnit = z.enum(["km", "mi", "m"]);
export const targetPace = z.string().trim().min(1).max(60).describe('E.g. "5:30 /km".');
export const rounds = z.int().min(1).max(100);
export const workSec = z.int().min(1).max(3_600);
export const groupRounds = z
  .int()
  .min(1)
  .max(20)
  .describe("How often the group is done. First exercise only.");
export const groupRest = seconds(3_600).describe("Rest after each round. First exercise only.");
export const groupName = z.string().trim().min(1).max(80).describe("What it is called. First exercise only.");
