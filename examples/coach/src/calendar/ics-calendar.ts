import { messageOf } from "@pawl/core";
import type { Calendar, CalendarEvent } from "./calendar-event.ts";
import { loadCalendar } from "./load-calendar.ts";
import { readDay } from "./read-day.ts";

/** Options of {@link icsCalendar}. */
export interface IcsCalendarOptions {
  /** A path, or an http or https URL. */
  source: string;
  /** Called with the reason if the calendar cannot be read. The reason does not contain the address. */
  onError?(message: string): void;
  fetch?: typeof fetch;
  now?: () => number;
}

/** How long a loaded calendar, or a failure, is reused, in milliseconds. */
const KEPT_MS = 60_000;

/**
 * Reads a calendar from an iCalendar file (`.ics`), for `coachDeps({ calendar })`. Google Calendar, Outlook
 * and iCloud offer such a file under a private address. All users get the entries of this one calendar.
 *
 * Loads the file at most once a minute.
 *
 * @example
 * ```ts
 * import { memoryFiles } from "@pawl/core";
 * import { coachDeps, icsCalendar } from "@pawl/example-coach";
 *
 * const calendar = icsCalendar({ source: "calendar.ics", onError: console.error });
 * const deps = coachDeps({ files: memoryFiles(), calendar });
 * ```
 */
export function icsCalendar({
  source,
  onError,
  fetch: fetched = fetch,
  now = Date.now,
}: IcsCalendarOptions): Calendar {
  let loaded: { at: number; text: Promise<string>; days: Map<string, Promise<readonly CalendarEvent[]>> };
  const load = (): typeof loaded => {
    if (loaded === undefined || now() - loaded.at >= KEPT_MS) {
      const text = loadCalendar(source, fetched);
      text.catch((error: unknown) => onError?.(`The calendar cannot be loaded: ${messageOf(error)}`));
      loaded = { at: now(), text, days: new Map() };
    }
    return loaded;
  };
  return async ({ day, timeZone }) => {
    const { text, days } = load();
    const key = `${day} ${timeZone}`;
    const known = days.get(key);
    if (known !== undefined) return await known;
    const content = await text;
    const read = days.get(key) ?? readDay(content, { day, timeZone });
    if (!days.has(key)) {
      days.set(key, read);
      read.catch((error: unknown) => onError?.(`The calendar cannot be read: ${messageOf(error)}`));
    }
    return await read;
  };
}
