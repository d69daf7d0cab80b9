const FIRST_MS = 100;
const LONGEST_MS = 5_000;

/** How long to wait after the given number of failures in a row: 100 ms, doubled each time, at most 5 s, half of it at random. */
export function backoffMs(failures: number, random: () => number = Math.random): number {
  const longest = Math.min(LONGEST_MS, FIRST_MS * 2 ** Math.max(0, failures - 1));
  return longest / 2 + (longest / 2) * random();
}

/** Resolves after `ms`, or at once when the signal fires. */
export function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      signal.removeEventListener("abort", done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    signal.addEventListener("abort", done);
    if (signal.aborted) done();
  });
}
