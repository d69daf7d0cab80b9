import { type Span, type SpanContext, SpanStatusCode } from "@opentelemetry/api";
import type { StoredOf } from "@pawl/core";

/** The open spans of a session in this process. */
export interface Session {
  run: StoredOf<"run_started"> | undefined;
  /** The version of the agent that works on the run. */
  version: string | undefined;
  /** The epoch of the lease with which this process last appended to the session. */
  epoch: number;
  /** The span of the run, while this process works on it. */
  agent: Span | undefined;
  /** The span that ended when the run began to wait for an answer. The next span links to it. */
  before: SpanContext | undefined;
  /** The spans of model requests, by the `seq` of the `llm_request` event. */
  chats: Map<number, Span>;
  /** The spans of tool calls, by call id. */
  tools: Map<string, Span>;
  /** The inputs of calls that have not started, by call id. Empty without the option `content`. */
  inputs: Map<string, string>;
}

/** Returns a session without spans. */
export function newSession(): Session {
  return {
    run: undefined,
    version: undefined,
    epoch: 0,
    agent: undefined,
    before: undefined,
    chats: new Map(),
    tools: new Map(),
    inputs: new Map(),
  };
}

/**
 * Ends a span after the last event of the append, because later events may still set attributes. `forget` is
 * called then.
 */
export type End = (span: Span, forget: () => void) => void;

/** Ends the open `chat` spans as failed. */
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
