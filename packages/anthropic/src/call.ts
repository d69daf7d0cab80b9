/** One call's use of a signal. Its listener is removed when the call is over. */
export interface Call {
  readonly signal: AbortSignal;
  /** Notes that the answer was read to its end, so that `close` aborts nothing. */
  done(): void;
  /** Ends the call, and aborts its connection if the answer was not read to its end. */
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

// The SDK keeps a request's signal until the body of its answer is garbage. The signal keeps its reason, and
// the reason's stack would keep the call and that body: they would never be freed. So the reason is a
// constant, and the abort has a stack of its own.
function abortOf(controller: AbortController): () => void {
  return () => queueMicrotask(() => controller.abort(OVER));
}

const OVER = new DOMException("The call is over.", "AbortError");
