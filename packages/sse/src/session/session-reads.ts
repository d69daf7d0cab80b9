import type { RunStart, Session } from "@pawl/core";
import {
  emptySession,
  type Serving,
  type SessionThen,
  sessionUpTo,
  type WholeSession,
  wholeSession,
} from "./session-then.ts";
import { type ReadFor, withinRead } from "./within-read.ts";

/** For whom a session is read. */
export interface Replayed extends Serving, Omit<ReadFor, "sessionId"> {}

/** Reads a session once, in a place that is left at the end: a stream follows for as long as it likes. */
export async function wholeOf(served: Replayed, session: Session | undefined): Promise<WholeSession> {
  if (session === undefined) return { now: emptySession(), last: undefined };
  const { id: sessionId } = session;
  return await withinRead({ ...served, sessionId }, () => wholeSession(served, sessionId));
}

/** Returns a session after the event `afterSeq`. Reads again only what `whole` does not have any more. */
export async function sessionBefore(
  served: Replayed,
  { sessionId, afterSeq }: RunStart,
  { now, last }: WholeSession,
): Promise<SessionThen> {
  if (afterSeq >= now.view.cursor) return await sessionUpTo(served, sessionId, afterSeq, now);
  if (last?.start.afterSeq === afterSeq) return last.before;
  return await withinRead({ ...served, sessionId }, () => sessionUpTo(served, sessionId, afterSeq));
}
