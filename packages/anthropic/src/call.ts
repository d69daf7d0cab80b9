/** The abort signal of one request. `close` removes its listener from the caller's signal. */
export interface Call {
  readonly signal: AbortSignal;
  /** Marks the answer as read to its end, so that `close` aborts nothing. */
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

// The SDK keeps a request's signal until the body of the answer is garbage. The signal keeps its reason, and
// the reason's stack would keep the call and the body, so none of them would be freed. That is why the reason
// is a constant, and `abort` runs in a microtask with a short stack.
function abortOf(controller: AbortController): () => void {
  return () => queueMicrotask(() => controller.abort(OVER));
}

const OVER = new DOMException("The call is over.", "AbortError");
