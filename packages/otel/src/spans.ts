import {
  type Context,
  context,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  type SpanOptions,
  type Tracer,
  trace,
} from "@opentelemetry/api";
import { type StoredEvent, type StoredOf, usdFromCents } from "@pawl/core";
import type { Lease } from "@pawl/core/store";
import {
  AGENT_VERSION,
  agentAttributes,
  askAttributes,
  reportAttributes,
  requestAttributes,
  responseAttributes,
  toolAttributes,
} from "./attributes.ts";
import { type End, endAll, endAttempts, endOne, newSession, type Session } from "./session-spans.ts";

interface Settings {
  tracer: Tracer;
  provider: string;
  content: boolean;
}

/** The open spans of all sessions, and the options for new ones. */
export interface Spans extends Settings {
  sessions: Map<string, Session>;
}

/**
 * The number of sessions that are remembered. The next span of a forgotten session has no link to the one
 * before.
 */
const REMEMBERED = 10_000;

const CLIENT = { kind: SpanKind.CLIENT };

export function newSpans(settings: Settings): Spans {
  return { ...settings, sessions: new Map() };
}

/**
 * Starts and ends spans for stored events. Spans end after the last event of the append, because later events
 * may still set attributes.
 */
export function takeEvents(spans: Spans, events: readonly StoredEvent[], epoch?: number): void {
  const over = new Map<Span, () => void>();
  for (const event of events) {
    const session = sessionOf(spans, event);
    if (session === undefined) continue;
    session.epoch = epoch ?? session.epoch;
    take(spans, session, event, (span, forget) => {
      over.set(span, () => {
        span.end(Date.parse(event.at));
        forget();
      });
    });
  }
  for (const end of over.values()) end();
}

/**
 * Ends the open spans of a run whose lease this process has released or `lost`. If the run goes on in another
 * process, a later leg in this one is linked. Spans of a later leg in this process stay open.
 */
export function leaveRun({ sessions }: Spans, { sessionId, epoch }: Lease, lost?: "lost"): void {
  const session = sessions.get(sessionId);
  if (session?.agent === undefined || session.epoch > epoch) return;
  session.before = session.agent.spanContext();
  endAll(session, (span) => span.end(), lost);
  if (lost) sessions.delete(sessionId);
}

function take(spans: Spans, session: Session, event: StoredEvent, end: End): void {
  switch (event.type) {
    case "run_started":
      session.run = event;
      session.version = event.data.agent_version;
      beginAgent(spans, session, event);
      break;
    case "run_recovered":
      endAll(session, end, "lost");
      beginAgent(spans, session, event);
      break;
    case "agent_changed":
      // Stored before anything that the new version does. Spans of other versions have ended by then.
      session.version = event.data.to;
      session.agent?.setAttribute(AGENT_VERSION, event.data.to);
      break;
    case "llm_request":
      session.chats.set(event.seq, begin(spans, session, event, `chat ${event.data.model}`, CLIENT));
      session.chats.get(event.seq)?.setAttributes(requestAttributes(event, spans.provider));
      break;
    case "llm_response":
      session.chats.get(event.data.attempt)?.setAttributes(responseAttributes(event));
      endOne(session.chats, event.data.attempt, end);
      break;
    case "spending":
      addAsk(spans, session, event, end);
      break;
    case "assistant_message":
      endOne(session.chats, event.data.attempt, end);
      break;
    case "error":
      if (event.data.code === "model_error") endAttempts(session, end, event.data.code);
      break;
    case "tool_call":
      if (spans.content) session.inputs.set(event.data.call_id, JSON.stringify(event.data.arguments));
      break;
    case "tool_started":
      beginTool(spans, session, event);
      break;
    case "tool_result":
      endTool(spans, session, event, end);
      break;
    case "run_suspended":
      session.before = session.agent?.spanContext();
      endAll(session, end);
      break;
    case "run_ended":
      endRun(spans, session, event, end);
      break;
  }
}

/**
 * Returns the session of an event. Returns `undefined` for an event of another package in an unknown session.
 */
function sessionOf({ sessions }: Spans, { sessionId, type }: StoredEvent): Session | undefined {
  const known = sessions.get(sessionId);
  if (known !== undefined || type.includes(".")) return known;
  const made = newSession();
  sessions.set(sessionId, made);
  for (const [id, { agent }] of sessions) {
    if (sessions.size <= REMEMBERED) break;
    if (agent === undefined && id !== sessionId) sessions.delete(id);
  }
  return made;
}

/** Starts a span below the run's span. If the run started in another process, its span starts here. */
function begin(spans: Spans, session: Session, event: StoredEvent, name: string, how: SpanOptions): Span {
  const agent = session.agent ?? beginAgent(spans, session, event);
  const within = trace.setSpan(ROOT_CONTEXT, agent);
  return spans.tracer.startSpan(name, { startTime: Date.parse(event.at), ...how }, within);
}

/** Adds the span of a model that a hook or a tool has asked. Its event is stored when the call is over. */
function addAsk(spans: Spans, session: Session, event: StoredOf<"spending">, end: End): void {
  const { at, data, durationMs } = event;
  // Other spendings have no duration: of lost answers, which have a span already, and of hooks' own calls.
  if (durationMs === undefined) return;
  const startTime = Date.parse(at) - durationMs;
  const span = begin(spans, session, event, `chat ${data.model}`, { ...CLIENT, startTime });
  span.setAttributes(askAttributes(event, spans.provider));
  end(span, () => undefined);
}

function beginAgent(spans: Spans, session: Session, { sessionId, at }: StoredEvent): Span {
  const name = session.run === undefined ? "invoke_agent" : `invoke_agent ${session.run.data.agent}`;
  const links = session.before === undefined ? [] : [{ context: session.before }];
  const attributes = agentAttributes(sessionId, session.run, session.version);
  const options = { kind: SpanKind.INTERNAL, startTime: Date.parse(at), attributes, links };
  session.agent = spans.tracer.startSpan(name, options, above(spans, sessionId));
  session.before = undefined;
  return session.agent;
}

/** Returns the parent of a run's span: for a sub-agent the span of the call, or else the active context. */
function above({ sessions }: Spans, sessionId: string): Context {
  const at = sessionId.lastIndexOf(":");
  const call =
    at === -1 ? undefined : sessions.get(sessionId.slice(0, at))?.tools.get(sessionId.slice(at + 1));
  return call === undefined ? context.active() : trace.setSpan(ROOT_CONTEXT, call);
}

function beginTool(spans: Spans, session: Session, event: StoredOf<"tool_started">): void {
  const { call_id, tool_name } = event.data;
  const input =
    event.data.input === undefined ? session.inputs.get(call_id) : JSON.stringify(event.data.input);
  const span = begin(spans, session, event, `execute_tool ${tool_name}`, { kind: SpanKind.INTERNAL });
  span.setAttributes(toolAttributes(event));
  session.inputs.delete(call_id);
  if (spans.content && input !== undefined) span.setAttribute("gen_ai.tool.call.arguments", input);
  session.tools.set(call_id, span);
}

function endTool(spans: Spans, session: Session, event: StoredOf<"tool_result">, end: End): void {
  const { data } = event;
  const span = session.tools.get(data.call_id);
  span?.setAttributes(reportAttributes(event, spans.content));
  if (spans.content) span?.setAttribute("gen_ai.tool.call.result", JSON.stringify(data.result));
  endOne(session.tools, data.call_id, end, data.success ? undefined : (data.report?.code ?? "tool_error"));
}

function endRun(spans: Spans, session: Session, event: StoredOf<"run_ended">, end: End): void {
  const { stop, turns, cost_cents, session_status } = event.data;
  session.agent?.setAttributes({
    "pawl.stop": stop.type,
    "pawl.turns": turns,
    "pawl.cost_usd": usdFromCents(cost_cents),
  });
  endAll(session, end, session_status === "error" ? stop.type : undefined);
  spans.sessions.delete(event.sessionId);
}
