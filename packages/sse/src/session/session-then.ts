import { type RunStart, type Runtime, readShown, type SessionEvent, type StoredEvent } from "@pawl/core";
import { newView, reduceView, type ViewState } from "@pawl/core/view";
import { hasFacts, newFacts, noteFacts, type ThreadFacts } from "../dialects/base/facts.ts";
import { publicEvent } from "./public-event.ts";

/** The runtime of a handler, and the path at which the handler is mounted. */
export interface Serving {
  runtime: Runtime;
  basePath?: string | undefined;
}

/** A session after one of its events, limited to what its user may see. */
export interface SessionThen {
  view: ViewState;
  mode: string | null;
  facts: ThreadFacts;
}

/** A session, and how it was before its last run began. */
export interface WholeSession {
  now: SessionThen;
  /**
   * Where the last run began, and the session before it; `undefined` if it never had a run. If a run began
   * when another one ended, both count as one run.
   */
  last: { start: RunStart; before: SessionThen } | undefined;
}

/** Returns a session without events. */
export function emptySession(): SessionThen {
  return { view: newView(), mode: null, facts: newFacts() };
}

/** Reads a session once. Call it in a place, see `withinRead`. */
export async function wholeSession(served: Serving, sessionId: string): Promise<WholeSession> {
  const now = emptySession();
  const before = emptySession();
  /** The events whose facts `before` lacks, each with the run that was the last one then. */
  let since: (readonly [SessionEvent, Pick<ViewState, "run">])[] = [];
  let start: RunStart | undefined;
  let next: string | undefined;
  for await (const event of readShown(served.runtime.store, sessionId)) {
    if (event.type === "run_ended") next = event.data.next?.run_id;
    if (event.type === "run_started" && event.data.run_id !== next) {
      start = { sessionId, runId: event.data.run_id, afterSeq: event.seq - 1 };
      for (const [earlier, then] of since) noteFacts(before.facts, earlier, then);
      since = [];
      before.view = now.view;
      before.mode = now.mode;
    }
    const shown = addEvent(served, now, event);
    if (hasFacts(shown)) since.push([shown, { run: now.view.run }]);
  }
  return { now, last: start && { start, before } };
}

/**
 * Returns a session after the event `uptoSeq`. `known` is the session after an earlier event, which is
 * changed. Call it in a place unless only a few events come after it, see `withinRead`.
 */
export async function sessionUpTo(
  served: Serving,
  sessionId: string,
  uptoSeq: number,
  known: SessionThen = emptySession(),
): Promise<SessionThen> {
  const { cursor: afterSeq } = known.view;
  if (afterSeq >= uptoSeq) return known;
  for await (const event of readShown(served.runtime.store, sessionId, { afterSeq })) {
    if (event.seq > uptoSeq) break;
    addEvent(served, known, event);
  }
  return known;
}

/** Adds an event, and returns it as the session's user may see it. */
function addEvent({ basePath }: Serving, then: SessionThen, event: StoredEvent): SessionEvent {
  const shown = publicEvent(event, { basePath });
  then.view = reduceView(then.view, shown);
  noteFacts(then.facts, shown, then.view);
  if (event.type === "tool_result" && event.data.mode !== undefined) then.mode = event.data.mode;
  return shown;
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
