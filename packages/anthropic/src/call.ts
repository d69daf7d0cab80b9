/** Aborts a request if its caller aborts or its answer is closed early. */
export interface Call extends Aborts {
  /** The signal that the SDK gets. Made when it is first read, because most calls need none. */
  readonly signal: AbortSignal;
  /** Marks the answer as read to its end, so that `close` aborts nothing. */
  done(): void;
  /** Ends the call, and aborts its connection if the answer was not read to its end. */
  close(): void;
}

/** The one thing that `sendBytes` needs of an abort signal. */
export interface Aborts {
  /**
   * Calls `abort` when the request is aborted, or immediately if it already was. Returns a function that
   * removes the listener.
   */
  onAbort(abort: (reason: Error) => void): () => void;
}

/** Opens the call of a request. `close` removes its listener from the caller's signal. */
export function openCall(signal: AbortSignal): Call {
  const own = ownAbort();
  signal.addEventListener("abort", own.abort, { once: true });
  let isDone = false;
  return {
    get signal() {
      return own.signal();
    },
    onAbort: own.onAbort,
    done() {
      isDone = true;
    },
    close() {
      signal.removeEventListener("abort", own.abort);
      if (!isDone) own.abort();
    },
  };
}

/** Wraps an abort signal as {@link Aborts}. */
export function abortsOf(signal: AbortSignal | null | undefined): Aborts {
  return {
    onAbort(abort) {
      const listener = (): void => abort(signal?.reason);
      if (signal?.aborted) listener();
      else signal?.addEventListener("abort", listener, { once: true });
      return () => signal?.removeEventListener("abort", listener);
    },
  };
}

// The SDK keeps a request's signal until the body of the answer is garbage. The signal keeps its reason, and
// the reason's stack would keep the call and the body, so none of them would be freed. That is why the reason
// is a constant, and `abort` runs in a microtask with a short stack.
function ownAbort() {
  let controller: AbortController | undefined;
  let listener: ((reason: Error) => void) | undefined;
  let isAborted = false;
  const run = (): void => {
    isAborted = true;
    listener?.(OVER);
    controller?.abort(OVER);
  };
  return {
    abort: () => queueMicrotask(run),
    onAbort(abort: (reason: Error) => void) {
      listener = abort;
      if (isAborted) abort(OVER);
      return () => {
        listener = undefined;
      };
    },
    signal(): AbortSignal {
      controller ??= new AbortController();
      if (isAborted) controller.abort(OVER);
      return controller.signal;
    },
  };
}

const OVER = new DOMException("The call is over.", "AbortError");
