/** A time as a clock on the wall shows it. `month` counts from 1. */
export interface WallClock {
  year: number;
  month: number;
  day: number;
  hour: number;
  minute: number;
}

/**
 * Returns when the clocks of a time zone show this time, in milliseconds since 1970. A time that does not
 * exist, because summer time began in that hour, is moved forward.
 */
export function momentOf({ year, month, day, hour, minute }: WallClock, timeZone: string): number {
  const asUtc = Date.UTC(year, month - 1, day, hour, minute);
  const first = asUtc - offsetAt(asUtc, timeZone);
  return asUtc - offsetAt(first, timeZone);
}

/** Returns when a day (`YYYY-MM-DD`) begins in a time zone, in milliseconds since 1970. */
export function midnightOf(date: string, timeZone: string): number {
  const [year = 0, month = 0, day = 0] = date.split("-").map(Number);
  return momentOf({ year, month, day, hour: 0, minute: 0 }, timeZone);
}

/** Formats a moment as the clocks of a time zone show it, e.g. `09:30`. */
export function clockAt(moment: number, timeZone: string): string {
  const format = new Intl.DateTimeFormat("en-GB", {
    timeZone,
    hour: "2-digit",
    minute: "2-digit",
    hourCycle: "h23",
  });
  return format.format(moment);
}

/** Returns how far the clocks of a time zone are ahead of UTC at a moment, in milliseconds. */
function offsetAt(moment: number, timeZone: string): number {
  const parts = new Intl.DateTimeFormat("en", {
    timeZone,
    calendar: "iso8601",
    hourCycle: "h23",
    year: "numeric",
    month: "numeric",
    day: "numeric",
    hour: "numeric",
    minute: "numeric",
    second: "numeric",
  }).formatToParts(moment);
  const of = (type: string): number => Number(parts.find((part) => part.type === type)?.value);
  const shown = Date.UTC(of("year"), of("month") - 1, of("day"), of("hour"), of("minute"), of("second"));
  return shown - Math.floor(moment / 1_000) * 1_000;
}
