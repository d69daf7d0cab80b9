/** Wakes a reader when there may be something new. */
interface Doorbell {
  ring(): void;
  /**
   * Resolves after a ring, including one that came before the call. Rings in one turn of the event loop, e.g.
   * from one packet, count as one: a reader wakes after the last of them.
   */
  wait(): Promise<void>;
  close(): void;
}

/**
 * If a wake-up is this late, in milliseconds, the next ring schedules it again. On Cloudflare Workers, a
 * timer that another request has set never fires if that request ends first.
 */
const LOST_MS = 50;

/** Creates a doorbell. An abort of one of the signals rings it too. */
export function doorbell(signals: readonly (AbortSignal | undefined)[]): Doorbell {
  let rung = false;
  let answer: (() => void) | undefined;
  const wake = () => {
    if (rung) answer?.();
  };
  let soonAt = 0;
  const ring = () => {
    if (answer !== undefined && (!rung || performance.now() - soonAt > LOST_MS)) {
      soonAt = performance.now();
      soon(wake);
    }
    rung = true;
  };
  for (const signal of signals) signal?.addEventListener("abort", ring);
  return {
    ring,
    wait: () =>
      new Promise<void>((resolve) => {
        answer = () => {
          answer = undefined;
          rung = false;
          resolve();
        };
        if (rung) soon(wake);
      }),
    close: () => {
      for (const signal of signals) signal?.removeEventListener("abort", ring);
    },
  };
}

/** Calls `then` in the next turn of the event loop. */
export function soon(then: () => void): void {
  if (globalThis.setImmediate === undefined) setTimeout(then, 0);
  else setImmediate(then);
}
