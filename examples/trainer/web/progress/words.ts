/** Formats a day, e.g. `5 Oct`. */
export function dayOf(iso: string): string {
  const date = new Date(`${iso}T00:00:00Z`);
  return date.toLocaleDateString([], { day: "numeric", month: "short", timeZone: "UTC" });
}

/** Formats a whole number, e.g. `12,340`. */
export function thousands(value: number): string {
  return Math.round(value).toLocaleString();
}
