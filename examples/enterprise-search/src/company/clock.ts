import { type Random, whole } from "@pawl/example-data-parts";

export const DAY_MS = 86_400_000;

/**
 * The company's present: its newest documents are from this day, a Friday. It is fixed, so that a question
 * such as "last month" has the same answer in every run.
 */
export const COMPANY_NOW: number = Date.parse("2026-11-20T17:00:00Z");

/** The oldest documents are from this day. */
export const COMPANY_START: number = COMPANY_NOW - 365 * DAY_MS;

/** The names of the months, January first. */
export const months: readonly string[] =
  "January February March April May June July August September October November December".split(" ");

/** A time in working hours of a weekday, this many days before the company's present at most. */
export function workTime(random: Random, daysAgo: number): number {
  const midnight = COMPANY_NOW - 17 * 3_600_000 - Math.min(daysAgo, 364) * DAY_MS;
  const day = new Date(midnight).getUTCDay();
  const weekday = midnight - (day === 6 ? DAY_MS : day === 0 ? 2 * DAY_MS : 0);
  return weekday + 7 * 3_600_000 + whole(random, 10 * 60) * 60_000;
}
