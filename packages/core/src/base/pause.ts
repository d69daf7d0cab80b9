/** Waits so many milliseconds; rejects with the signal's reason as soon as it fires. */
export type Sleep = (ms: number, signal: AbortSignal) => Promise<void>;

/** The longest time that a timer can be set for; a longer one would fire at once. */
const LONGEST = 2 ** 31 - 1;

/** Waits by the clock of the machine. */
export const pause: Sleep = async (ms, signal) => {
  signal.throwIfAborted();
  for (let left = ms; left > 0; left -= LONGEST) await timer(Math.min(left, LONGEST), signal);
};

function timer(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timeout);
      reject(signal.reason);
    };
    const timeout = setTimeout(() => {
      signal.removeEventListener("abort", stop);
      resolve();
    }, ms);
    signal.addEventListener("abort", stop, { once: true });
  });
}
