/** Tells a reader when to look. */
export interface Doorbell {
  ring(): void;
  /**
   * Resolves after a ring (`false`), one that came before included, or when it is time to look unasked (`true`). Whatever
   * comes in one go, e.g. all that one packet brings, is one ring: a reader is woken after it and not in the midst of it.
   */
  wait(): Promise<boolean>;
  close(): void;
}

/** Waits for a ring, an abort of one of the signals, or the time to look by oneself. */
export function doorbell(pollMs: number, signals: readonly (AbortSignal | undefined)[]): Doorbell {
  let rung = false;
  let answer: ((unasked: boolean) => void) | undefined;
  const wake = () => {
    if (rung) answer?.(false);
  };
  const ring = () => {
    if (!rung && answer !== undefined) soon(wake);
    rung = true;
  };
  for (const signal of signals) signal?.addEventListener("abort", ring);
  return {
    ring,
    wait: () =>
      new Promise<boolean>((resolve) => {
        const timer = setTimeout(() => answer?.(true), pollMs);
        answer = (unasked) => {
          clearTimeout(timer);
          answer = undefined;
          rung = false;
          resolve(unasked);
        };
        if (rung) soon(wake);
      }),
    close: () => {
      for (const signal of signals) signal?.removeEventListener("abort", ring);
    },
  };
}

/** Calls back once everything that is ready to run has run. */
function soon(then: () => void): void {
  if (globalThis.setImmediate === undefined) setTimeout(then, 0);
  else setImmediate(then);
}
