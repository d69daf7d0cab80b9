import { askToStop } from "./ask-to-stop.ts";
import { type Awaited, passedOn } from "./events/awaited.ts";
import type { Host } from "./host.ts";
import type { RunStart } from "./run-handle.ts";
import { isSuspended } from "./session/queued.ts";

/**
 * Stops a run that another leg works on, and no other run, when the signal aborts. Returns a function that
 * detaches the signal: a caller may use one signal for any number of runs.
 */
export function stopOnAbort(host: Host, start: RunStart, signal: AbortSignal | undefined): () => void {
  const stop = () => void stopRunOf(host, start).catch(host.report);
  if (signal?.aborted) stop();
  else signal?.addEventListener("abort", stop, { once: true });
  return () => signal?.removeEventListener("abort", stop);
}

async function stopRunOf(host: Host, start: RunStart): Promise<void> {
  // It may pass the message on at this very moment.
  for (let asked: string | undefined; ; ) {
    const runId = await runOf(host, start);
    if (runId === asked) return;
    await askToStop(host, start.sessionId, (run) => run.runId === runId && !isSuspended(run));
    asked = runId;
  }
}

/** The run that was begun, or the one that has taken its message up. */
async function runOf(host: Host, { sessionId, afterSeq, ...start }: RunStart): Promise<string> {
  let awaited: Awaited = start;
  for await (const event of host.store.read(sessionId, { afterSeq, types: ["run_ended"] })) {
    awaited = passedOn(awaited, event) ?? awaited;
  }
  return awaited.runId;
}
