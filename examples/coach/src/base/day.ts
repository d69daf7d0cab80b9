const DAY_MS = 86_400_000;

/** The hour at which a new day begins. Before it, people who are still awake mean the previous day. */
const DAWN = 4;

/**
 * Returns the day in a time zone, as `YYYY-MM-DD`. Days begin at 4 a.m. `now` is in milliseconds since 1970,
 * and `timeZone` is a name such as `Europe/Berlin`.
 */
export function dayOf(now: number, timeZone: string): string {
  const date = new Intl.DateTimeFormat("en-CA", {
    timeZone,
    year: "numeric",
    month: "2-digit",
    day: "2-digit",
  }).format(now);
  return hourOf(now, timeZone) < DAWN ? plusDays(date, -1) : date;
}

/** Parts of the day. The hours until 4 a.m. belong to the evening. */
export type DayPart = "morning" | "afternoon" | "evening";

export function dayPartOf(now: number, timeZone: string): DayPart {
  const hour = hourOf(now, timeZone);
  if (hour >= DAWN && hour < 12) return "morning";
  return hour >= 12 && hour < 17 ? "afternoon" : "evening";
}

function hourOf(now: number, timeZone: string): number {
  const format = new Intl.DateTimeFormat("en-GB", { timeZone, hour: "2-digit", hourCycle: "h23" });
  return Number(format.format(now));
}

export function plusDays(day: string, days: number): string {
  return new Date(Date.parse(day) + days * DAY_MS).toISOString().slice(0, 10);
}

/** Counts the days from `from` to `to`; negative if `to` is earlier. */
export function daysBetween(from: string, to: string): number {
  return Math.round((Date.parse(to) - Date.parse(from)) / DAY_MS);
}

/** Checks whether a text is an existing day, as `YYYY-MM-DD`. */
export function isDay(text: string): boolean {
  return /^\d{4}-\d{2}-\d{2}$/.test(text) && !Number.isNaN(Date.parse(text)) && plusDays(text, 0) === text;
}

export function isTimeZone(name: unknown): name is string {
  if (typeof name !== "string" || name.length > 60) return false;
  try {
    return new Intl.DateTimeFormat("en", { timeZone: name }).format(0) !== "";
  } catch {
    return false;
  }
}
