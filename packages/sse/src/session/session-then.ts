import { type RunStart, type Runtime, readShown, type SessionEvent } from "@pawl/core";
import { newView, reduceView, type ViewState } from "@pawl/core/view";
import { newFacts, noteFacts, type ThreadFacts } from "../dialects/base/facts.ts";
import { publicEvent } from "./public-event.ts";

/** Returns the current view of a session, limited to what its user may see. */
export async function sessionNow(served: Serving, sessionId: string): Promise<SessionThen> {
  return await sessionUpTo(served, sessionId, Infinity);
}

/** The runtime of a handler, and the path at which the handler is mounted. */
export interface Serving {
  runtime: Runtime;
  basePath?: string | undefined;
}

interface SessionThen {
  view: ViewState;
  mode: string | null;
  facts: ThreadFacts;
}

/** Returns the view of a session after the event `uptoSeq`, limited to what its user may see. */
export async function sessionUpTo(
  { runtime, basePath }: Serving,
  sessionId: string,
  uptoSeq: number,
): Promise<SessionThen> {
  const facts = newFacts();
  let view = newView();
  let mode: string | null = null;
  if (uptoSeq === 0) return { view, mode, facts };
  for await (const event of readShown(runtime.store, sessionId)) {
    if (event.seq > uptoSeq) break;
    const shown = publicEvent(event, { basePath });
    view = reduceView(view, shown);
    noteFacts(facts, shown, view);
    if (event.type === "tool_result" && event.data.mode !== undefined) mode = event.data.mode;
  }
  return { view, mode, facts };
}

/** Returns the facts in the events of a page, see `viewPage`. */
export function factsOf(events: readonly SessionEvent[]): ThreadFacts {
  const facts = newFacts();
  let view = newView();
  for (const event of events) {
    view = reduceView(view, event);
    noteFacts(facts, event, view);
  }
  return facts;
}

/**
 * Returns where the session's last run began. If a run began when another one ended, both count as one run.
 */
export async function lastExchange(runtime: Runtime, sessionId: string): Promise<RunStart | undefined> {
  let start: RunStart | undefined;
  let next: string | undefined;
  for await (const { type, data, seq } of runtime.store.read(sessionId, {
    types: ["run_started", "run_ended"],
  })) {
    if (type === "run_ended") next = data.next?.run_id;
    if (type !== "run_started" || data.run_id === next) continue;
    start = { sessionId, runId: data.run_id, afterSeq: seq - 1 };
  }
  return start;
}

/** Returns where the agent's last message began. The message may be in progress. */
export async function lastMessage(
  runtime: Runtime,
  sessionId: string,
  { run }: ViewState,
): Promise<RunStart> {
  const start = { sessionId, runId: run?.id ?? "", afterSeq: (run?.seq ?? 1) - 1 };
  // The last message may be the run's second one, after a user message that the run picked up.
  const messageSeq = run?.since && (await takenUpBy(runtime, sessionId, run.since));
  return { ...start, ...(messageSeq !== undefined && { messageSeq }) };
}

async function takenUpBy(runtime: Runtime, sessionId: string, since: number): Promise<number | undefined> {
  let last: number | undefined;
  for await (const event of runtime.store.read(sessionId, { types: ["user_message"] })) {
    if (event.seq < since) last = event.seq;
  }
  return last;
}
