const DAY = new Intl.DateTimeFormat("en-GB", {
  ...({ day: "numeric", month: "short", year: "numeric" } as const),
  timeZone: "UTC",
});

/** Writes the day of a time for people, e.g. `18 Nov 2026`. `iso` is ISO 8601; the day is that in UTC. */
export function dayOf(iso: string): string {
  const time = Date.parse(iso);
  return Number.isNaN(time) ? iso : DAY.format(time);
}
