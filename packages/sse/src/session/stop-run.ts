import type { Runtime } from "@pawl/core";

/** Stops a run if it is still in progress. A run that waits for an answer, or another run, goes on. */
export async function stopRun(
  runtime: Runtime,
  { sessionId, runId, userId }: { sessionId: string; runId: string; userId: string },
): Promise<void> {
  const session = await runtime.store.sessions.get(sessionId);
  if (session?.openRun === runId && session.status === "active") await runtime.stop(sessionId, { userId });
}
