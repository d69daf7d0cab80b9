import { type Span, type SpanContext, SpanStatusCode } from "@opentelemetry/api";
import type { StoredOf } from "@pawl/core";

/** What a session is at, in this process. */
export interface Session {
  run: StoredOf<"run_started"> | undefined;
  /** Of the lease under which this process last wrote. */
  epoch: number;
  /** The run at work, while it is. */
  agent: Span | undefined;
  /** The span that ended when the run began to wait. */
  before: SpanContext | undefined;
  /** By the `seq` of their requests. */
  chats: Map<number, Span>;
  /** By the ids of their calls. */
  tools: Map<string, Span>;
  /** Of calls that have not begun, where they are shown. */
  inputs: Map<string, string>;
}

/** A session of which nothing is known yet. */
export function newSession(): Session {
  return {
    run: undefined,
    epoch: 0,
    agent: undefined,
    before: undefined,
    chats: new Map(),
    tools: new Map(),
    inputs: new Map(),
  };
}

/** Ends a span behind the last event of an append, as that may still say how; then it is forgotten. */
export type End = (span: Span, forget: () => void) => void;

/** Attempts that failed: whatever is being asked, as one answer is asked for at a time. */
export function endAttempts(session: Session, end: End, failure: string): void {
  for (const seq of session.chats.keys()) endOne(session.chats, seq, end, failure);
}

export function endAll(session: Session, end: End, failure?: string): void {
  endAttempts(session, end, failure ?? "aborted");
  for (const callId of session.tools.keys()) endOne(session.tools, callId, end, failure ?? "aborted");
  const { agent } = session;
  if (agent === undefined) return;
  if (failure !== undefined) fail(agent, failure);
  end(agent, () => {
    if (session.agent === agent) session.agent = undefined;
  });
}

export function endOne<Key>(spans: Map<Key, Span>, key: Key, end: End, failure?: string): void {
  const span = spans.get(key);
  if (span === undefined) return;
  if (failure !== undefined) fail(span, failure);
  end(span, () => spans.delete(key));
}

function fail(span: Span, why: string): void {
  span.setAttribute("error.type", why);
  span.setStatus({ code: SpanStatusCode.ERROR });
}
