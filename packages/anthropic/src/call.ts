/** The part of a signal that one call uses: its own listener, taken off when the call is over. */
export interface Call {
  readonly signal: AbortSignal;
  /** The answer has been read to its end: closing has nothing left to abort. */
  done(): void;
  /** Ends the call, and its connection if the answer was not read to its end. */
  close(): void;
}

export function openCall(signal: AbortSignal): Call {
  const controller = new AbortController();
  const abort = (): void => controller.abort(signal.reason);
  signal.addEventListener("abort", abort, { once: true });
  let isDone = false;
  return {
    signal: controller.signal,
    done() {
      isDone = true;
    },
    close() {
      signal.removeEventListener("abort", abort);
      if (!isDone) controller.abort();
    },
  };
}
