/** A span of time, in milliseconds since 1970 by the store's clock. `to` is missing while it is open. */
export interface Span {
  from: number;
  to?: number;
}

/** Adds the lengths of spans, in milliseconds. An open span lasts until `now`. */
export function lasted(spans: readonly Span[], now: number): number {
  return spans.reduce((sum, { from, to = now }) => sum + Math.max(0, to - from), 0);
}
