/** Formats a number with its unit, e.g. `1,504 uu/s`, `14.9%` or `1.85 per match`. */
export function withUnit(value: number | null, unit: string): string {
  if (value === null) return "–";
  return unit === "%" ? `${numberOf(value)}%` : `${numberOf(value)} ${unit}`.trim();
}

/** Formats a number with the decimals that it has, e.g. `1,504` or `1.85`. */
export function numberOf(value: number | null): string {
  return value === null ? "–" : value.toLocaleString("en", { maximumFractionDigits: 2 });
}

/** Formats a change with its sign, e.g. `+9` or `−1.8`. */
export function signed(value: number): string {
  const size = numberOf(Math.abs(value));
  if (value === 0) return size;
  return value > 0 ? `+${size}` : `−${size}`;
}

/** Formats a day without a time, e.g. `24 Aug`. */
export function dayOf(iso: string): string {
  const date = new Date(iso.length > 10 ? iso : `${iso}T00:00:00Z`);
  return date.toLocaleDateString("en-GB", { day: "numeric", month: "short", timeZone: "UTC" });
}

/** Formats the day of a point of time in the user's time zone, e.g. `20 Nov`. */
export function localDay(iso: string): string {
  return new Date(iso).toLocaleDateString("en-GB", { day: "numeric", month: "short" });
}

/** Formats the time of day of a point of time in the user's time zone, e.g. `18:26`. */
export function clockOf(iso: string): string {
  return new Date(iso).toLocaleTimeString("en-GB", { hour: "2-digit", minute: "2-digit" });
}

/** Formats a point of time in the user's time zone, e.g. `20 Nov, 18:26`. */
export function timeOf(iso: string): string {
  return `${localDay(iso)}, ${clockOf(iso)}`;
}

/** Shortens the longest names of ranks: `GC II` and `SSL`. */
export function shortRank(rank: string): string {
  return rank.replace("Grand Champion", "GC").replace("Supersonic Legend", "SSL");
}

/** Returns a playlist as a heading names it, e.g. `Doubles`. */
export function playlistName(playlist: string): string {
  return `${playlist.slice(0, 1).toUpperCase()}${playlist.slice(1)}`;
}

/** Returns the noun in the right number, e.g. `1 match` or `3 matches`. */
export function counted(count: number, one: string, many: string): string {
  return `${numberOf(count)} ${count === 1 ? one : many}`;
}
