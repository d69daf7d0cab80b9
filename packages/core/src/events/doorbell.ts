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
  let askedAt = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const wake = () => {
    if (rung) answer?.(false);
  };
  const ring = () => {
    if (!rung && answer !== undefined) soon(wake);
    rung = true;
  };
  /** One timer serves many waits, most of which are over long before: it is set for the rest of the last one. */
  const look = () => {
    timer = undefined;
    if (answer === undefined) return;
    const leftMs = askedAt + pollMs - performance.now();
    if (leftMs <= 0) answer(true);
    else timer = setTimeout(look, leftMs);
  };
  for (const signal of signals) signal?.addEventListener("abort", ring);
  return {
    ring,
    wait: () =>
      new Promise<boolean>((resolve) => {
        askedAt = performance.now();
        timer ??= setTimeout(look, pollMs);
        answer = (unasked) => {
          answer = undefined;
          rung = false;
          resolve(unasked);
        };
        if (rung) soon(wake);
      }),
    close: () => {
      clearTimeout(timer);
      for (const signal of signals) signal?.removeEventListener("abort", ring);
    },
  };
}

/** Calls back once everything that is ready to run has run. */
function soon(then: () => void): void {
  if (globalThis.setImmediate === undefined) setTimeout(then, 0);
  else setImmediate(then);
}
