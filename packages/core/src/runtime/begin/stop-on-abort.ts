import type { Host } from "../leg/host.ts";
import type { RunStart } from "../leg/run-handle.ts";

/**
 * Stops a run that another leg is working on when the signal aborts. Does not stop other runs of the session.
 * Returns a function that detaches the signal, because a caller may use one signal for many runs.
 */
export function stopOnAbort(host: Host, start: RunStart, signal: AbortSignal | undefined): () => void {
  const stop = () => void host.stopRun(start).catch(host.report);
  if (signal?.aborted) stop();
  else signal?.addEventListener("abort", stop, { once: true });
  return () => signal?.removeEventListener("abort", stop);
}
