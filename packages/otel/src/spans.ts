import type { Span } from "@opentelemetry/api";
import { type StoredEvent, type StoredOf, usdFromCents } from "@pawl/core";
import type { Lease } from "@pawl/core/store";
import { isOutcomeUnknown } from "@pawl/core/tools";
import { AGENT_VERSION, reportAttributes, responseAttributes } from "./attributes.ts";
import { addAsk, beginAgent, beginChat, beginTool } from "./begin-spans.ts";
import {
  type End,
  endAll,
  endAllCut,
  endOne,
  endOpen,
  newSession,
  type Session,
  type Settings,
  type Spans,
  type Work,
} from "./session-spans.ts";

/**
 * The number of sessions that are remembered. The next span of a forgotten session has no link to the one
 * before.
 */
const REMEMBERED = 10_000;

/** The types of stop reasons with which the user ends a run. */
const BY_USER: readonly string[] = ["aborted", "interrupted"];

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
    take(spans, session, event, (span, forget, at = event.at) => {
      over.set(span, () => {
        span.end(Date.parse(at));
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
  // A call that has no result continues in the other process, or is run again there. A request is lost.
  const failures = lost ? { chats: lost, tools: lost, run: lost } : { chats: "aborted" };
  const end: End = (span, forget, at) => {
    span.end(at === undefined ? undefined : Date.parse(at));
    forget();
  };
  if (!lost) endAllCut(session, end);
  endAll(session, end, failures);
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
      endAll(session, end, { chats: "lost", tools: "lost", run: "lost" });
      beginAgent(spans, session, event);
      break;
    case "agent_changed":
      // Stored before anything that the new version does. Spans of other versions have ended by then.
      session.version = event.data.to;
      session.agent?.setAttribute(AGENT_VERSION, event.data.to);
      break;
    case "llm_request":
      endAllCut(session, end);
      endOpen(session.chats, end, "aborted");
      session.chats.set(event.seq, { span: beginChat(spans, session, event) });
      break;
    case "llm_response":
      session.chats.get(event.data.attempt)?.span.setAttributes(responseAttributes(event));
      endAnswer(session, event, event.data.raw_response.stop_reason, end);
      break;
    case "spending":
      if (event.data.attempt === undefined) addAsk(spans, session, event, end);
      else cut(session.chats.get(event.data.attempt), event);
      break;
    case "assistant_message":
      endAnswer(session, event, event.data.stop_reason, end);
      break;
    case "error":
      if (event.data.code === "model_error") failAttempt(session, event, end);
      break;
    case "tool_call":
      if (spans.content) session.inputs.set(event.data.call_id, JSON.stringify(event.data.arguments));
      break;
    case "tool_started":
      beginTool(spans, session, event);
      break;
    case "task_started":
      session.tasks.set(event.data.task_id, event.data.call_id ?? "");
      break;
    case "tool_suspended":
      // The call waits for an answer, which begins the next span.
      endOne(session.tools, event.data.call_id, end);
      break;
    case "tool_result":
      endTool(spans, session, event, end);
      break;
    case "run_suspended":
      session.before = session.agent?.spanContext();
      endAllCut(session, end);
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

/** Ends the span of a complete answer. An answer without a stop reason was cut off. */
function endAnswer(
  session: Session,
  event: StoredOf<"llm_response"> | StoredOf<"assistant_message">,
  stopReason: string | null,
  end: End,
): void {
  const { attempt } = event.data;
  if (stopReason === null) cut(session.chats.get(attempt), event);
  else endOne(session.chats, attempt, end);
}

function cut(work: Work | undefined, { at }: StoredEvent, code?: string): void {
  if (work !== undefined) Object.assign(work, { cutAt: at, code });
}

/** Ends the span of a failed request. Its answer may have ended it in the same append. */
function failAttempt({ chats }: Session, { data }: StoredOf<"error">, end: End): void {
  const { attempt } = Object(data.context);
  for (const seq of chats.keys())
    if (attempt === undefined || attempt === seq) endOne(chats, seq, end, data.code);
}

function endTool(spans: Spans, session: Session, event: StoredOf<"tool_result">, end: End): void {
  const { data } = event;
  const call = session.tools.get(data.call_id);
  // A call that asks runs once more, in a span of its own.
  session.inputs.delete(data.call_id);
  call?.span.setAttributes(reportAttributes(event, spans.content));
  if (spans.content) call?.span.setAttribute("gen_ai.tool.call.result", JSON.stringify(data.result));
  const { success, result, report } = data;
  if (!success && isOutcomeUnknown(result)) cut(call, event, report?.code);
  else endOne(session.tools, data.call_id, end, success ? undefined : (report?.code ?? "tool_error"));
}

function endRun(spans: Spans, session: Session, event: StoredOf<"run_ended">, end: End): void {
  const { stop, turns, cost_cents, session_status } = event.data;
  session.agent?.setAttributes({
    "pawl.stop": stop.type,
    "pawl.turns": turns,
    "pawl.cost_usd": usdFromCents(cost_cents),
  });
  const failure = session_status === "error" ? stop.type : undefined;
  // What the user has stopped has not failed.
  if (failure === undefined && !BY_USER.includes(stop.type)) endAllCut(session, end);
  endAll(session, end, { chats: failure, tools: failure, run: failure });
  spans.sessions.delete(event.sessionId);
}
