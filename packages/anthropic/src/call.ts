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
  const abort = abortOf(controller);
  signal.addEventListener("abort", abort, { once: true });
  let isDone = false;
  return {
    signal: controller.signal,
    done() {
      isDone = true;
    },
    close() {
      signal.removeEventListener("abort", abort);
      if (!isDone) abort();
    },
  };
}

/**
 * The SDK keeps the signal of a request until the body of its answer is garbage, and an abort keeps its
 * reason, whose stack keeps who is on it: the call, and so that body, for ever. So the reason is none of the
 * call's, and the stack is another.
 */
function abortOf(controller: AbortController): () => void {
  return () => queueMicrotask(() => controller.abort(OVER));
}

const OVER = new DOMException("The call is over.", "AbortError");
