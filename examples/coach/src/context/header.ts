import { dayOf, dayPartOf, daysBetween } from "../base/day.ts";
import type { CoachData } from "../deps/deps.ts";
import { indexOf } from "../files/file-index.ts";
import { CHECKIN_FOLDERS, checkinStatus, nextCheckin } from "../sessions/check-in-status.ts";
import { clip, textOf } from "./read.ts";

/**
 * Formats four lines for the model: the user's name, their last session, their local time, and the state of
 * the weekly check-in.
 */
export async function header(coach: CoachData): Promise<string> {
  const { files, now, timeZone, name } = coach;
  const today = dayOf(now(), timeZone);
  const [last, index] = await Promise.allSettled([coach.lastSession(), indexOf(files, CHECKIN_FOLDERS)]);
  const weekday = new Intl.DateTimeFormat("en", { timeZone: "UTC", weekday: "long" }).format(
    Date.parse(today),
  );
  const status =
    index.status === "rejected" ? "unknown" : checkinStatus(nextCheckin(index.value, today), today);
  return [
    `Name: ${name === undefined ? "unknown" : clip(textOf(name), 80)}`,
    `Last session: ${last.status === "rejected" ? "unknown" : lastSession(last.value, today, timeZone)}`,
    `Time: ${weekday} ${dayPartOf(now(), timeZone)}, ${today}`,
    `Check-in: ${status}`,
  ].join("\n");
}

function lastSession(
  last: { type: string; at: string } | undefined,
  today: string,
  timeZone: string,
): string {
  if (last === undefined) return "this is the first one";
  const days = daysBetween(dayOf(Date.parse(last.at), timeZone), today);
  const ago = days <= 0 ? "today" : days === 1 ? "yesterday" : `${days} days ago`;
  return `${clip(textOf(last.type), 40)}, ${ago}`;
}
