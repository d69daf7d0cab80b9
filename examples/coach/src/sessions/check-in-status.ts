import { daysBetween, plusDays } from "../base/day.ts";
import type { IndexedFile } from "../files/file-index.ts";

/** The number of days between two check-ins. */
export const CHECKIN_EVERY = 7;

/** The folders whose files determine when the next check-in is due. */
export const CHECKIN_FOLDERS = ["check-ins", "life-map"] as const;

/** Returns the day of the next weekly check-in, as `YYYY-MM-DD`; `undefined` without a life map. */
export function nextCheckin(index: readonly IndexedFile[], today: string): string | undefined {
  const last = newestDay(index, "check-in");
  if (last !== undefined) return plusDays(last, CHECKIN_EVERY);
  const mapped = index.find(({ type }) => type === "overview");
  return mapped === undefined ? undefined : plusDays(mapped.modifiedAt.slice(0, 10) || today, CHECKIN_EVERY);
}

/** Describes when the next check-in is due. */
export function checkinStatus(next: string | undefined, today: string): string {
  if (next === undefined) return "none yet";
  const days = daysBetween(today, next);
  if (days > 0) return `next on ${next}`;
  return days === 0 ? "due today" : `overdue since ${next}`;
}

export function newestDay(index: readonly IndexedFile[], type: string): string | undefined {
  return index
    .filter((file) => file.type === type)
    .map(({ day }) => day ?? "")
    .reduce<string | undefined>(
      (newest, day) => (day !== "" && day > (newest ?? "") ? day : newest),
      undefined,
    );
}
