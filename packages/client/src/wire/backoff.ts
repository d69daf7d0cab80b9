// Pages do not load the entry of core that exports `backoff()`. They retry sooner, and more at random.
const FIRST_MS = 100;
const LONGEST_MS = 5_000;

/**
 * Returns the milliseconds to wait after the given number of failures in a row. Starts at 100 ms and doubles
 * up to 5 s. Half of the wait is random.
 */
export function backoffMs(failures: number, random: () => number = Math.random): number {
  const longest = Math.min(LONGEST_MS, FIRST_MS * 2 ** Math.max(0, failures - 1));
  return (longest / 2) * (1 + random());
}

/**
 * Returns the milliseconds to wait after a failure: those of {@link backoffMs}, or as many as the server asks
 * for by `retry-after`, in seconds, up to a minute.
 */
export function retryMs(failures: number, error?: unknown): number {
  const { answer } = Object(error) as { answer?: { headers: Headers } };
  // A date is no number.
  const seconds = Number(answer?.headers.get("retry-after")) || 0;
  return Math.max(backoffMs(failures), Math.min(seconds, 60) * 1_000);
}

/** Objects that exist only in browsers. */
type Page = Partial<Pick<EventTarget, "addEventListener" | "removeEventListener">> & {
  document?: EventTarget & { visibilityState?: string };
};

/**
 * Waits for `ms` milliseconds. Resolves earlier if the page goes online, becomes visible or the signal
 * aborts.
 */
export function pause(ms: number, signal: AbortSignal): Promise<void> {
  const page = globalThis as Page;
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      signal.removeEventListener("abort", done);
      page.removeEventListener?.("online", done);
      page.document?.removeEventListener?.("visibilitychange", looked);
      resolve();
    };
    const looked = () => {
      if (page.document?.visibilityState === "visible") done();
    };
    const timer = setTimeout(done, ms);
    signal.addEventListener("abort", done);
    page.addEventListener?.("online", done);
    page.document?.addEventListener?.("visibilitychange", looked);
    if (signal.aborted) done();
  });
}
