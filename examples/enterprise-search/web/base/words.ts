/** Formats a duration, e.g. `26 ms`, `1.3 s` or `2 min`. */
export function durationOf(ms: number): string {
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${(ms / 1_000).toFixed(1)} s`;
  return `${Math.round(ms / 60_000)} min`;
}

/** Formats a cost in US dollars, e.g. `$0.0005`. */
export function costOf(usd: number): string {
  if (usd === 0) return "$0";
  return usd < 0.00005 ? "< $0.0001" : `$${usd.toFixed(usd < 0.1 ? 4 : 2)}`;
}

/** Formats a number, e.g. `14,966`. */
export function countOf(value: number): string {
  return value.toLocaleString("en");
}

/** Returns the noun in the right number, e.g. `1 source` or `3 sources`. */
export function counted(count: number, one: string, many: string): string {
  return `${countOf(count)} ${count === 1 ? one : many}`;
}

/** Formats the day of a point of time, e.g. `14 Nov 2026`; the text itself if it is not one. */
export function dayOf(iso: string): string {
  const date = new Date(iso);
  if (Number.isNaN(date.getTime())) return iso.slice(0, 40);
  return date.toLocaleDateString("en-GB", { day: "numeric", month: "short", year: "numeric" });
}

/** Formats a point of time, e.g. `14 Nov 2026, 17:00`; the text itself if it is not one. */
export function timeOf(iso: string): string {
  const date = new Date(iso);
  if (Number.isNaN(date.getTime())) return iso.slice(0, 40);
  return `${dayOf(iso)}, ${date.toLocaleTimeString("en-GB", { hour: "2-digit", minute: "2-digit" })}`;
}

/** Joins words as in a sentence, e.g. `1, 2 and 3`. */
export function listed(words: readonly string[]): string {
  return words.length < 2 ? words.join("") : `${words.slice(0, -1).join(", ")} and ${words.at(-1)}`;
}

/** Cuts a text for a line; `…` is in the place of the rest. */
export function clipped(text: string, limit: number): string {
  return text.length <= limit ? text : `${text.slice(0, limit - 1).replace(/[\ud800-\udbff]$/, "")}…`;
}
