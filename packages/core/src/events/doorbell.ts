/** Tells a reader when to look. */
export interface Doorbell {
  ring(): void;
  /** Whether somebody rang since this was asked last. */
  rang(): boolean;
  /** Resolves at the next ring (`false`) or when it is time to look unasked (`true`). */
  wait(): Promise<boolean>;
  close(): void;
}

/** Waits for a ring, or for the time to look by oneself. */
export function doorbell(pollMs: number, signal: AbortSignal): Doorbell {
  let rung = false;
  let answer: (() => void) | undefined;
  const ring = () => {
    rung = true;
    answer?.();
  };
  signal.addEventListener("abort", ring);
  return {
    ring,
    rang: () => {
      const was = rung;
      rung = false;
      return was;
    },
    /** `true` when nobody rang: time to look into the store. */
    wait: () =>
      new Promise<boolean>((resolve) => {
        const timer = setTimeout(() => done(true), pollMs);
        const done = (timeOut: boolean) => {
          clearTimeout(timer);
          answer = undefined;
          rung = false;
          resolve(timeOut);
        };
        answer = () => done(false);
      }),
    close: () => signal.removeEventListener("abort", ring),
  };
}
