/** Work that is requested often and runs at most once per frame. */
export interface Batch {
  /**
   * Runs the work with the next frame of the page, or after `maxMs`, whichever is earlier. (Hidden pages draw
   * no frames.)
   */
  soon(): void;
  /** Runs the work at once, also on behalf of earlier requests. */
  now(): void;
  /** Drops earlier requests. */
  cancel(): void;
}

/** Functions that exist only in browsers. */
interface Page {
  requestAnimationFrame?(callback: () => void): number;
  cancelAnimationFrame?(handle: number): void;
}

/**
 * Returns a batch that calls `work` at most once per frame. `maxMs` is the longest delay, in milliseconds.
 */
export function batch(work: () => void, maxMs = 50): Batch {
  const page = globalThis as Page;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let frame: number | undefined;
  const cancel = () => {
    clearTimeout(timer);
    if (frame !== undefined) page.cancelAnimationFrame?.(frame);
    timer = undefined;
    frame = undefined;
  };
  const now = () => {
    cancel();
    work();
  };
  return {
    soon() {
      if (timer !== undefined) return;
      timer = setTimeout(now, maxMs);
      frame = page.requestAnimationFrame?.(now);
    },
    now,
    cancel,
  };
}
