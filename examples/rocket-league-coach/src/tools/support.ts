import { type Json, PawlError } from "@pawl/core";
import * as z from "zod";
import { metricNames } from "../base/metrics.ts";
import { playlists } from "../base/playlists.ts";
import { findRank, ranks } from "../base/ranks.ts";

export const playlist: z.ZodEnum<{ duels: "duels"; doubles: "doubles"; standard: "standard" }> = z
  .enum(playlists)
  .describe("The ranked playlist: duels is 1v1, doubles is 2v2, standard is 3v3.");

/** How many days a question looks back, if it does not say so. */
export const DAYS_BACK = 30;

export const daysBack: z.ZodOptional<z.ZodInt> = z
  .int()
  .min(1)
  .max(365)
  .optional()
  .describe("How many days to look back from today, 1 to 365.");

export const replayId: z.ZodString = z.string().trim().min(1).max(100);

/** The names of the metrics that a call asks for. */
export const metricList: z.ZodArray<z.ZodEnum<{ [Name in (typeof metricNames)[number]]: Name }>> = z
  .array(z.enum(metricNames))
  .min(1)
  .max(8);

/** Returns the indexes of ranks by their names. Throws an error that lists the ranks. */
export function rankIndexes(names: readonly string[]): number[] {
  return names.map((name) => {
    const rank = findRank(name);
    if (rank !== undefined) return rank.index;
    const known = ranks.map((one) => one.name).join(", ");
    throw new PawlError(
      "invalid_input",
      `There is no rank ${JSON.stringify(name)}. The ranks are: ${known}.`,
    );
  });
}

/**
 * Runs `work`. Replaces its errors by a message that the model may read, because it should not read a
 * database's error text. A PawlError passes unchanged.
 */
export async function withData<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    if (PawlError.is(cause)) throw cause;
    const message =
      "The statistics cannot be read at the moment. Tell the user, and answer without them if you can.";
    throw new Error(message, { cause });
  }
}

/** The time limit of a call, in milliseconds. The first one also creates the sample data. */
export const TIMEOUT_MS = 30_000;

/** Casts a stored result to its type: only the tool itself wrote it. */
export function resultOf<T>(result: Json): T {
  return result as T;
}
