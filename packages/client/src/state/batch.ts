/** A piece of work that is asked for often and done seldom. */
export interface Batch {
  /**
   * With the next frame of the page, or after `maxMs`, whichever comes first: hidden pages draw no frames.
   */
  soon(): void;
  /** At once; what was asked for before is done with it. */
  now(): void;
  cancel(): void;
}

/** What a page has and a server has not. */
interface Page {
  requestAnimationFrame?(callback: () => void): number;
  cancelAnimationFrame?(handle: number): void;
}

/** Gathers calls of `work`. */
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
