import {
  type RunStart,
  type Runtime,
  readShown,
  type SessionEvent,
  type StoredEvent,
  type StoredOf,
} from "@pawl/core";
import { newView, type ViewFold, type ViewState, viewFold } from "@pawl/core/view";
import { resultIn } from "../dialects/base/call-results.ts";
import { copyFacts, newFacts, noteFacts, type ThreadFacts } from "../dialects/base/facts.ts";
import { publicEvents, type Shows } from "./public-event.ts";

/** The runtime of a handler, and how the handler shows events. */
export interface Serving extends Shows {
  runtime: Runtime;
}

/** A session after one of its events, limited to what its user may see. */
export interface SessionThen {
  view: ViewState;
  mode: string | null;
  facts: ThreadFacts;
  /** The results that calls got after the session `known` of `sessionUpTo`; absent without one. */
  closed?: readonly StoredOf<"tool_result">[];
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
  const folding = newFolding(emptySession());
  /** The events since the last run began. They are folded when the next run begins, or at the end. */
  let since: SessionEvent[] = [];
  let start: RunStart | undefined;
  let next: string | undefined;
  for await (const event of shownEvents(served, sessionId, 0)) {
    if (event.type === "run_ended") next = event.data.next?.run_id;
    if (event.type === "run_started" && event.data.run_id !== next) {
      start = { sessionId, runId: event.data.run_id, afterSeq: event.seq - 1 };
      await folding.addEvents(since);
      since = [];
    }
    since.push(event);
  }
  const before = folding.session();
  await folding.addEvents(since);
  return { now: folding.session(), last: start && { start, before } };
}

/**
 * Returns a session after the event `uptoSeq`. `known` is the session after an earlier event. Call it in a
 * place unless only a few events come after it, see `withinRead`.
 */
export async function sessionUpTo(
  served: Serving,
  sessionId: string,
  uptoSeq: number,
  known: SessionThen = emptySession(),
): Promise<SessionThen> {
  const { cursor: afterSeq } = known.view;
  if (afterSeq >= uptoSeq) return known;
  const closed: StoredOf<"tool_result">[] = [];
  const noteResult = (event: SessionEvent, view: ViewFold) => {
    const result = "seq" in event ? resultIn(event, view) : undefined;
    if (result !== undefined) closed.push(result);
  };
  // Without a known session, these would be all results of its past.
  const isKnown = afterSeq > 0;
  const folding = newFolding(known, isKnown ? noteResult : undefined);
  await folding.addEvents(upTo(uptoSeq, shownEvents(served, sessionId, afterSeq)));
  return { ...folding.session(), ...(isKnown && { closed }) };
}

/** Yields the events after `afterSeq` as the session's user may see them. */
function shownEvents({ runtime, basePath, parts }: Serving, sessionId: string, afterSeq: number) {
  return publicEvents(readShown(runtime.store, sessionId, { afterSeq }), { basePath, parts });
}

async function* upTo(seq: number, events: AsyncIterable<StoredEvent>): AsyncGenerator<StoredEvent> {
  for await (const event of events) {
    if (event.seq > seq) return;
    yield event;
  }
}

/** Folds events into a session. `heard` is called with each event, and with the view after it. */
function newFolding(
  { view, mode: modeBefore, facts: factsBefore }: SessionThen,
  heard?: ((event: SessionEvent, view: ViewFold) => void) | undefined,
) {
  const fold = viewFold(view);
  const facts = copyFacts(factsBefore);
  let mode = modeBefore;
  const note = (event: SessionEvent) => {
    noteFacts(facts, event, fold);
    heard?.(event, fold);
    if (event.type === "tool_result" && event.data.mode !== undefined) mode = event.data.mode;
  };
  return {
    addEvents: (events: AsyncIterable<SessionEvent> | Iterable<SessionEvent>) => fold.addEvents(events, note),
    session: (): SessionThen => ({ view: fold.view(), mode, facts: copyFacts(facts) }),
  };
}

/** Returns the facts in the events of a page, see `viewPage`. */
export async function factsOf(events: readonly SessionEvent[]): Promise<ThreadFacts> {
  const folding = newFolding(emptySession());
  await folding.addEvents(events);
  return folding.session().facts;
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
