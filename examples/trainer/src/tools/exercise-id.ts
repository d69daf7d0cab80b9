import * as z from "zod";

/** Input field by which the model names an exercise of the active workout. */
export const exerciseId = z
  .union([z.string().trim().min(1).max(100), z.int().min(1).max(1_000).transform(String)])
  .describe('The exercise: its id, or its number in the workout, e.g. "2".');

export const reason = z.string().trim().max(500).optional().describe("Why, in a few words.");
