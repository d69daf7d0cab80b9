/** Formats a number for people. */
export function count(n: number): string {
  return n < 10_000 ? n.toLocaleString("en") : `${Math.round(n / 1_000).toLocaleString("en")}k`;
}

/** Formats milliseconds in a fitting unit. */
export function time(ms: number): string {
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${(ms / 1_000).toFixed(1)} s`;
  const minutes = Math.round(ms / 60_000);
  return minutes < 90 ? `${minutes} min` : `${Math.round(minutes / 60)} h`;
}

/** Formats US dollars, with more digits for small amounts. */
export function money(usd: number): string {
  if (usd === 0) return "$0";
  return `$${usd >= 1 ? usd.toFixed(2) : usd.toPrecision(2)}`;
}

/** Formats a share from 0 to 1 as a percentage; a dash for `undefined`. */
export function share(rate: number | undefined): string {
  return rate === undefined ? "–" : `${Math.round(rate * 100)} %`;
}
