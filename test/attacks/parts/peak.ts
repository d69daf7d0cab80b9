/** Measures by how many MB the memory of this process grew at most while `work` ran. */
export async function peakMb<T>(work: () => Promise<T>): Promise<{ value: T; grownMb: number }> {
  const { rss } = process.memoryUsage;
  const before = rss();
  let peak = before;
  const look = () => {
    peak = Math.max(peak, rss());
  };
  const timer = setInterval(look, 10);
  try {
    const value = await work();
    look();
    return { value, grownMb: Math.round((peak - before) / 1e6) };
  } finally {
    clearInterval(timer);
  }
}
