/** Numbers as people read them. */
export function count(n: number): string {
  return n < 10_000 ? n.toLocaleString("en") : `${Math.round(n / 1_000).toLocaleString("en")}k`;
}

/** Milliseconds in the unit that fits. */
export function time(ms: number): string {
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${(ms / 1_000).toFixed(1)} s`;
  const minutes = Math.round(ms / 60_000);
  return minutes < 90 ? `${minutes} min` : `${Math.round(minutes / 60)} h`;
}

/** US dollars, with as many digits as there is money. */
export function money(usd: number): string {
  if (usd === 0) return "$0";
  return `$${usd >= 1 ? usd.toFixed(2) : usd.toPrecision(2)}`;
}

/** 0 to 1 as a percentage; a dash where there is nothing to divide. */
export function share(rate: number | undefined): string {
  return rate === undefined ? "–" : `${Math.round(rate * 100)} %`;
}
