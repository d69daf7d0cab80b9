/** Tells a reader when to look. */
export interface Doorbell {
  ring(): void;
  /**
   * Resolves after a ring, one that came before included. Whatever comes in one go, e.g. all that one packet brings, is
   * one ring: a reader is woken after it and not in the midst of it.
   */
  wait(): Promise<void>;
  close(): void;
}

/** Waits for a ring, or an abort of one of the signals. */
export function doorbell(signals: readonly (AbortSignal | undefined)[]): Doorbell {
  let rung = false;
  let answer: (() => void) | undefined;
  const wake = () => {
    if (rung) answer?.();
  };
  const ring = () => {
    if (!rung && answer !== undefined) soon(wake);
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

/** Calls back once everything that is ready to run has run. */
export function soon(then: () => void): void {
  if (globalThis.setImmediate === undefined) setTimeout(then, 0);
  else setImmediate(then);
}
