import { type Span, type SpanContext, SpanStatusCode, type Tracer } from "@opentelemetry/api";
import type { StoredOf } from "@pawl/core";

/** A model request or a tool call whose span has not ended. */
export interface Work {
  span: Span;
  /**
   * When it was cut off, ISO 8601. Why, says the next event: the run ends or leaves the process, or the model
   * is asked again. Until then the span is open.
   */
  cutAt?: string;
  /** The code of the error that a tool threw when it was cut off. */
  code?: string | undefined;
  /** Whether its span ends after the last event of this append. */
  isOver?: true;
}

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
  /** The model requests, by the `seq` of the `llm_request` event. */
  chats: Map<number, Work>;
  /** The tool calls, by call id. */
  tools: Map<string, Work>;
  /** The calls whose tools have given tasks to agents, by the task's id. Empty for a task of a hook. */
  tasks: Map<string, string>;
  /** The inputs of calls that have not started, by call id. Empty without the option `content`. */
  inputs: Map<string, string>;
}

/** The options for new spans. */
export interface Settings {
  tracer: Tracer;
  provider: string;
  content: boolean;
}

/** The open spans of all sessions, and the options for new ones. */
export interface Spans extends Settings {
  sessions: Map<string, Session>;
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
    tasks: new Map(),
    inputs: new Map(),
  };
}

/**
 * Ends a span after the last event of the append, because later events may still set attributes. `forget` is
 * called then. `at` is the end, if it was before the event.
 */
export type End = (span: Span, forget: () => void, at?: string) => void;

/** Why the open spans of a session end: the failure of each kind. Absent: it has not failed. */
export interface Failures {
  chats?: string | undefined;
  tools?: string | undefined;
  run?: string | undefined;
}

/** Ends all open spans of a session. What has ended in this append stays as it is. */
export function endAll(session: Session, end: End, failures: Failures = {}): void {
  endOpen(session.chats, end, failures.chats);
  endOpen(session.tools, end, failures.tools);
  const { agent } = session;
  if (agent === undefined) return;
  if (failures.run !== undefined) fail(agent, failures.run);
  end(agent, () => {
    if (session.agent === agent) session.agent = undefined;
  });
}

/** Ends the spans that are open. What has ended in this append stays as it is. */
export function endOpen<Key>(works: Map<Key, Work>, end: End, failure?: string): void {
  for (const [key, { isOver, code }] of works)
    if (!isOver) endOne(works, key, end, failure === undefined ? undefined : (code ?? failure));
}

/** Ends the spans of what was cut off by something else than the end of the run: it has failed. */
export function endAllCut({ chats, tools }: Session, end: End): void {
  endCut(chats, end, "aborted");
  endCut(tools, end, "tool_error");
}

function endCut<Key>(works: Map<Key, Work>, end: End, failure: string): void {
  for (const [key, { isOver, cutAt, code }] of works)
    if (!isOver && cutAt !== undefined) endOne(works, key, end, code ?? failure);
}

/** Ends a span, also if it has ended in this append: an answer may turn out to be a failure. */
export function endOne<Key>(works: Map<Key, Work>, key: Key, end: End, failure?: string): void {
  const work = works.get(key);
  if (work === undefined) return;
  if (failure !== undefined) fail(work.span, failure);
  work.isOver = true;
  end(work.span, () => works.delete(key), work.cutAt);
}

function fail(span: Span, why: string): void {
  span.setAttribute("error.type", why);
  span.setStatus({ code: SpanStatusCode.ERROR });
}
