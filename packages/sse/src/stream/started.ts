import type { RunOptions, RunStart, Runtime, WhenBusy } from "@pawl/core";
import type { ViewState } from "@pawl/core/view";
import type { Begin, Dialect } from "../dialects/base/dialect.ts";
import type { Reader } from "../session/caller.ts";
import { lastMessage } from "../session/session-then.ts";
import { checkReturnedTools } from "./reserved-tools.ts";

interface Starting {
  agent: string;
  dialect: Dialect;
  from: Pick<RunOptions, "userId" | keyof Reader>;
  sessionId?: string;
  begin: Begin;
  view: ViewState;
  whenBusy?: WhenBusy;
  /** When it aborts, the run that the request begins or continues is stopped. */
  signal?: AbortSignal | undefined;
}

/**
 * Starts what a request begins, and returns where its output begins.
 *
 * @throws PawlError as `run()` does, and `config` if the agent's function returns a tool with a name that the
 * dialect reserves.
 */
export async function started(runtime: Runtime, wanted: Starting): Promise<RunStart> {
  const { agent, dialect, sessionId = "", begin, view, whenBusy, signal } = wanted;
  const { userId } = wanted.from;
  if ("abandon" in begin) {
    await runtime.stop(sessionId, { userId });
    return { sessionId, runId: view.run?.id ?? "", afterSeq: view.cursor };
  }
  const from = { ...wanted.from, ...(signal && { signal }) };
  if ("shown" in begin || "connect" in begin) return await lastMessage(runtime, sessionId, view);
  const asked = { ...from, ...(sessionId && { sessionId }), ...(whenBusy && { whenBusy }) };
  const run =
    "retry" in begin
      ? runtime.run(agent, { ...from, sessionId, retry: begin.retry })
      : runtime.run(agent, { ...asked, ...begin });
  const start = await run.started;
  await checkReturnedTools(runtime, dialect, { agent, userId, start });
  return start;
}
