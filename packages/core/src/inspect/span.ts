/** From and to, in milliseconds since 1970 by the store's clock. What is not over has no end. */
export interface Span {
  from: number;
  to?: number;
}

/** Milliseconds that spans have lasted together; one that is not over lasts until `now`. */
export function lasted(spans: readonly Span[], now: number): number {
  return spans.reduce((sum, { from, to = now }) => sum + Math.max(0, to - from), 0);
}
