/**
 * Measures for how long `work` kept the event loop from its timers at most, in milliseconds of this thread's
 * processor time: a busy machine does not make it longer.
 */
export async function standstill<T>(work: () => Promise<T>): Promise<{ value: T; longestMs: number }> {
  let longestMs = 0;
  let last = threadMs();
  const look = () => {
    const now = threadMs();
    longestMs = Math.max(longestMs, now - last);
    last = now;
  };
  const timer = setInterval(look, 5);
  try {
    const value = await work();
    look();
    return { value, longestMs: Math.round(longestMs) };
  } finally {
    clearInterval(timer);
  }
}

/** Returns the processor time of this thread, in milliseconds. */
export function threadMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
}
