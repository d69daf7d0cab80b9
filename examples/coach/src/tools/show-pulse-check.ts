import { type Json, type ToolContext, tool } from "@pawl/core";
import * as z from "zod";
import { dayOf } from "../base/day.ts";
import type { CoachDeps } from "../deps/deps.ts";
import { domainIds, lifeDomains, type Ratings } from "../pulse/domains.ts";
import { keepPulse, pulseBaseline } from "../pulse/pulse-log.ts";

const rating = z.int().min(1).max(5);

/** The answer: ratings from 1 to 5 for at least one area, or that the user skipped the check. */
const answer = z.union([
  z.object({
    ratings: z
      .partialRecord(z.enum(domainIds), rating)
      .refine((ratings) => Object.keys(ratings).length > 0, "At least one domain, or skipped."),
  }),
  z.object({ skipped: z.literal(true) }),
]);

/** The rating of an area before and now. `change` is absent if there was no earlier rating. */
export interface PulseChange {
  before?: number;
  after: number;
  change?: number;
}

/** The result of `show_pulse_check`. */
export type PulseResult =
  | { skipped: true; baseline: Ratings }
  | {
      ratings: Ratings;
      /** The last known ratings before this check, and their day. */
      baseline: Ratings;
      baseline_day?: string;
      changes: Record<string, PulseChange>;
    };

/**
 * Asks the user to rate the areas of their life. The run waits without a time limit. The result has the
 * previous ratings beside the new ones.
 */
export const showPulseCheck = tool({
  name: "show_pulse_check",
  description:
    "Shows the person a pulse check: each area of their life to be rated from 1 to 5, as few or as many as they like, and waits. " +
    "They may skip it. The result contains the changes since the last one.",
  input: z.object({
    context: z.string().trim().min(1).max(300).describe("Why you ask now, in one sentence to the person."),
    domains: z
      .array(z.enum(domainIds))
      .min(1)
      .max(domainIds.length)
      .optional()
      .describe("Only these areas. Default: all."),
  }),
  category: "suspend",
  suspends: {
    kind: "pulse_check",
    answer,
    payload: ({ context, domains = domainIds }): Json => ({
      context,
      domains: lifeDomains.filter(({ id }) => domains.includes(id)).map(({ id, label }) => ({ id, label })),
      scale: { min: 1, max: 5, labels: ["Hard", "Shaky", "Okay", "Good", "Thriving"] },
      skippable: true,
    }),
  },
  idempotent: true,
  repeatable: true,
  execute: async (_, context: ToolContext<CoachDeps, z.infer<typeof answer>>): Promise<PulseResult> => {
    const { files, now, timeZone } = context.deps.coach;
    const callKey = context.idempotencyKey;
    const last = await pulseBaseline(files, callKey);
    const baseline = last?.ratings ?? {};
    if ("skipped" in context.answer) return { skipped: true, baseline };
    const { ratings } = context.answer;
    await keepPulse(files, { day: dayOf(now(), timeZone), at: now(), callKey, ratings, before: baseline });
    return {
      ratings,
      baseline,
      ...(last !== undefined && { baseline_day: last.day }),
      changes: changesOf(baseline, ratings),
    };
  },
});

function changesOf(baseline: Ratings, ratings: Ratings): Record<string, PulseChange> {
  const rated = domainIds.flatMap((id): [string, PulseChange][] => {
    const [before, after] = [baseline[id], ratings[id]];
    if (after === undefined) return [];
    return [[id, before === undefined ? { after } : { before, after, change: after - before }]];
  });
  return Object.fromEntries(rated);
}
