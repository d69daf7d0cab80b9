/** Work that is requested often and runs at most once per frame. */
export interface Batch {
  /**
   * Runs with the next frame of the page, or after `maxMs`, whichever comes first: hidden pages draw no
   * frames.
   */
  soon(): void;
  /** Runs at once, and covers all earlier requests. */
  now(): void;
  cancel(): void;
}

/** Functions that only pages have. */
interface Page {
  requestAnimationFrame?(callback: () => void): number;
  cancelAnimationFrame?(handle: number): void;
}

/** Batches calls of `work`. `maxMs` is the longest delay, in milliseconds. */
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
