/**
 * A span of time, in milliseconds since 1970, measured by the store's clock. `to` is missing until the span
 * has ended.
 */
export interface Span {
  /** When the span began. */
  from: number;
  /** When the span ended. */
  to?: number;
}

/**
 * Returns the total length of spans, in milliseconds. A span without `to` counts until `now`.
 *
 * @example
 * ```ts
 * import { lasted } from "@pawl/core/inspect";
 *
 * console.log(lasted([{ from: 0, to: 300 }, { from: 1_000 }], 1_200)); // 500
 * ```
 */
export function lasted(spans: readonly Span[], now: number): number {
  return spans.reduce((sum, { from, to = now }) => sum + Math.max(0, to - from), 0);
}
