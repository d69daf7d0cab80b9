const DAY_MS = 86_400_000;

/** The date at a place, as `YYYY-MM-DD`. `now` is in milliseconds since 1970, `timeZone` is a name like `Europe/Berlin`. */
export function dayOf(now: number, timeZone: string): string {
  return new Intl.DateTimeFormat("en-CA", {
    timeZone,
    year: "numeric",
    month: "2-digit",
    day: "2-digit",
  }).format(now);
}

/** Parts of the day as people speak of them; the small hours belong to the evening before. */
export type DayPart = "morning" | "afternoon" | "evening";

export function dayPartOf(now: number, timeZone: string): DayPart {
  const hour = Number(
    new Intl.DateTimeFormat("en-GB", { timeZone, hour: "2-digit", hourCycle: "h23" }).format(now),
  );
  if (hour >= 4 && hour < 12) return "morning";
  return hour >= 12 && hour < 17 ? "afternoon" : "evening";
}

export function plusDays(day: string, days: number): string {
  return new Date(Date.parse(day) + days * DAY_MS).toISOString().slice(0, 10);
}

/** How many days `to` is after `from`; negative if it is before. */
export function daysBetween(from: string, to: string): number {
  return Math.round((Date.parse(to) - Date.parse(from)) / DAY_MS);
}

/** Whether a text is a day that there is. */
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
