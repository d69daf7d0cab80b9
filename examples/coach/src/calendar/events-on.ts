import ICAL from "ical.js";
import { isTimeZone, plusDays } from "../base/day.ts";
import type { CalendarEvent } from "./calendar-event.ts";
import { clockAt, midnightOf, momentOf } from "./wall-clock.ts";

/** The day to read, and the user's time zone. */
export interface DayInZone {
  day: string;
  timeZone: string;
}

/**
 * The most occurrences of all series together, from their beginnings. A daily series has 18,000 occurrences
 * in 50 years.
 */
const MOST_OCCURRENCES = 30_000;

const DAY_S = 86_400;

/** One event, or one occurrence of a series. */
interface Occurrence {
  event: ICAL.Event;
  start: ICAL.Time;
  end: ICAL.Time;
}

/**
 * Reads the entries of one day from an iCalendar file: entries for the whole day first, the others by time.
 * Expands series, with their exceptions. Leaves out cancelled entries.
 *
 * A time zone that the file does not define is looked up by its IANA name. Times without a zone are read in
 * the user's time zone.
 *
 * A rule that never matches keeps this function busy forever, so call it where it can be terminated.
 *
 * @throws Error if the text is not an iCalendar file.
 */
export function eventsOn(text: string, at: DayInZone): CalendarEvent[] {
  const root = new ICAL.Component(ICAL.parse(text));
  const events = root.getAllSubcomponents("vevent").map((component) => new ICAL.Event(component));
  const listed = occurrences(events, Date.parse(at.day) / 1_000)
    .filter(({ event }) => event.component.getFirstPropertyValue("status") !== "CANCELLED")
    .flatMap((occurrence) => entryOf(occurrence, at));
  return listed
    .sort((a, b) => a.from - b.from)
    .map(({ title, clock }) => ({ title, ...(clock !== undefined && { at: clock }) }));
}

/**
 * Returns all events, and the occurrences of series around a day. `day` is its begin in UTC, in seconds since
 * 1970. No zone is further than a day from UTC, so two days on each side are enough.
 */
function occurrences(events: readonly ICAL.Event[], day: number): Occurrence[] {
  const found: Occurrence[] = [];
  let left = MOST_OCCURRENCES;
  for (const event of events) {
    // An exception of a series may have been moved to any day, so each one is read as a separate event.
    if (event.isRecurrenceException() || !event.isRecurring()) {
      if (event.startDate) found.push({ event, start: event.startDate, end: event.endDate });
      continue;
    }
    const series = event.iterator();
    const lasts = event.duration.toSeconds();
    for (let time = series.next(); time && left > 0; time = series.next()) {
      left -= 1;
      const start = time.toUnixTime();
      if (start > day + 2 * DAY_S) break;
      if (start + lasts < day - 2 * DAY_S || hasException(event, time)) continue;
      const { item, startDate, endDate } = event.getOccurrenceDetails(time);
      found.push({ event: item, start: startDate, end: endDate });
    }
  }
  return found;
}

function hasException({ exceptions }: ICAL.Event, time: ICAL.Time): boolean {
  const ids = [time.toString(), time.convertToZone(ICAL.Timezone.utcTimezone).toString()];
  return ids.some((id) => Object.hasOwn(exceptions, id));
}

/** Formats an occurrence, if any of it lies on the day. `clock` is absent if it lasts the whole day. */
function entryOf(
  { event, start, end }: Occurrence,
  { day, timeZone }: DayInZone,
): { from: number; clock?: string; title: string }[] {
  const title = event.summary?.trim() || "Busy";
  const [dawn, dusk] = [midnightOf(day, timeZone), midnightOf(plusDays(day, 1), timeZone)];
  const [from, to] = [momentAt(start, event, timeZone), momentAt(end, event, timeZone)];
  if (from >= dusk || (to <= dawn && from < dawn)) return [];
  if (start.isDate || (from <= dawn && to >= dusk)) return [{ from: dawn - 1, title }];
  if (from >= dawn) return [{ from, clock: clockAt(from, timeZone), title }];
  return [{ from: dawn, clock: clockAt(dawn, timeZone), title: `${title} (until ${clockAt(to, timeZone)})` }];
}

/** Returns a time in milliseconds since 1970. */
function momentAt(time: ICAL.Time, event: ICAL.Event, timeZone: string): number {
  if (!time.isDate && time.zone !== ICAL.Timezone.localTimezone) return time.toUnixTime() * 1_000;
  const named = event.component.getFirstProperty("dtstart")?.getFirstParameter("tzid");
  return momentOf(time, !time.isDate && isTimeZone(named) ? named : timeZone);
}
