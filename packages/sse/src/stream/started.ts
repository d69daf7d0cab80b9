import type { RunOptions, RunStart, Runtime, WhenBusy } from "@pawl/core";
import type { ViewState } from "@pawl/core/view";
import type { Begin } from "../dialects/base/dialect.ts";
import type { Caller } from "../session/caller.ts";
import { lastMessage } from "../session/session-then.ts";

interface Starting {
  agent: string;
  from: Pick<RunOptions, keyof Caller>;
  sessionId?: string;
  begin: Begin;
  view: ViewState;
  whenBusy?: WhenBusy;
  /** Stops the run that the request begins or continues. */
  signal?: AbortSignal | undefined;
}

/** Starts what a request begins, and returns where its output begins. */
export async function started(runtime: Runtime, wanted: Starting): Promise<RunStart> {
  const { agent, sessionId = "", begin, view, whenBusy, signal } = wanted;
  const { userId } = wanted.from;
  if ("abandon" in begin) {
    await runtime.stop(sessionId, { userId });
    return { sessionId, runId: view.run?.id ?? "", afterSeq: view.cursor };
  }
  const from = { ...wanted.from, ...(signal && { signal }) };
  if ("shown" in begin || "connect" in begin) return await lastMessage(runtime, sessionId, view);
  if ("retry" in begin) return await runtime.run(agent, { ...from, sessionId, retry: begin.retry }).started;
  const asked = { ...from, ...(sessionId && { sessionId }), ...(whenBusy && { whenBusy }), ...begin };
  return await runtime.run(agent, asked).started;
}
