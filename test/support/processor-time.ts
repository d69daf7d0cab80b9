/**
 * Measures this thread's processor time from now on, in milliseconds. A busy machine makes a test wait, but it
 * does not make this time longer.
 */
export function processorTime(): () => number {
  const begun = process.threadCpuUsage();
  return () => {
    const { user, system } = process.threadCpuUsage(begun);
    return (user + system) / 1_000;
  };
}
