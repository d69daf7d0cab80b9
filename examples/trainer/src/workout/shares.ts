import * as z from "zod";
import { muscles } from "./muscles.ts";

/** The accepted difference between the sum of shares and 1, because models round. */
export const SHARE_TOLERANCE = 0.05;

const share = z.number().min(0).max(1).describe("Its share of the whole, from 0 to 1.");

/** Returns the schema of a list of shares that sum to about 1 and name each thing once. */
function shares<T extends z.ZodType<{ share: number }>>(
  entry: T,
  max: number,
  nameOf: (one: z.infer<T>) => string,
) {
  return z
    .array(entry)
    .min(1)
    .max(max)
    .superRefine((list, context) => {
      const sum = list.reduce((total, one) => total + one.share, 0);
      if (Math.abs(sum - 1) > SHARE_TOLERANCE + 1e-9) {
        const found = Math.round(sum * 1_000) / 1_000;
        context.addIssue({ code: "custom", message: `The shares have to sum to 1, and sum to ${found}.` });
      }
      const names = list.map(nameOf);
      const twice = names.find((name, at) => names.indexOf(name) !== at);
      if (twice !== undefined) context.addIssue({ code: "custom", message: `"${twice}" is named twice.` });
    });
}

export const muscleShares = shares(
  z.strictObject({ muscle: z.enum(muscles), share }),
  muscles.length,
  ({ muscle }) => muscle,
).describe("The muscles worked. The shares sum to 1.");

export const goalShares = shares(
  z.strictObject({ goal: z.string().trim().min(1).max(60), share }),
  10,
  ({ goal }) => goal.toLowerCase(),
).describe("The goals that it serves, e.g. strength or endurance. The shares sum to 1.");
