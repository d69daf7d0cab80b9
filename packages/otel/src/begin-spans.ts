import {
  type Context,
  context,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  type SpanOptions,
  trace,
} from "@opentelemetry/api";
import type { StoredEvent, StoredOf } from "@pawl/core";
import { agentAttributes, askAttributes, requestAttributes, toolAttributes } from "./attributes.ts";
import type { End, Session, Spans } from "./session-spans.ts";

const CLIENT = { kind: SpanKind.CLIENT };

export function beginAgent(spans: Spans, session: Session, { sessionId, at }: StoredEvent): Span {
  const name = session.run === undefined ? "invoke_agent" : `invoke_agent ${session.run.data.agent}`;
  const links = session.before === undefined ? [] : [{ context: session.before }];
  const attributes = agentAttributes(sessionId, session, spans.provider);
  const options = { kind: SpanKind.INTERNAL, startTime: Date.parse(at), attributes, links };
  session.agent = spans.tracer.startSpan(name, options, above(spans, sessionId));
  session.before = undefined;
  return session.agent;
}

/**
 * Returns the parent of a run's span: for a sub-agent the span of the call that it works for, or of the run
 * whose hook has given it the task, or else the active context.
 */
function above({ sessions }: Spans, sessionId: string): Context {
  const at = sessionId.lastIndexOf(":");
  const caller = at === -1 ? undefined : sessions.get(sessionId.slice(0, at));
  const id = sessionId.slice(at + 1);
  const call = caller?.tools.get(caller.tasks.get(id) ?? id);
  // Another process may have stored the start of the task.
  const span = call?.span ?? (id.startsWith("task_") ? caller?.agent : undefined);
  return span === undefined ? context.active() : trace.setSpan(ROOT_CONTEXT, span);
}

export function beginChat(spans: Spans, session: Session, event: StoredOf<"llm_request">): Span {
  const attributes = requestAttributes(event, spans.provider);
  return begin(spans, session, event, `chat ${event.data.model}`, { ...CLIENT, attributes });
}

/** Adds the span of a model that a hook or a tool has asked. Its event is stored when the call is over. */
export function addAsk(spans: Spans, session: Session, event: StoredOf<"spending">, end: End): void {
  const { at, data, durationMs } = event;
  // Other spendings have no duration: of lost answers, which have a span already, and of hooks' own calls.
  if (durationMs === undefined) return;
  const startTime = Date.parse(at) - durationMs;
  const attributes = askAttributes(event, spans.provider);
  const span = begin(spans, session, event, `chat ${data.model}`, { ...CLIENT, startTime, attributes });
  end(span, () => undefined);
}

export function beginTool(spans: Spans, session: Session, event: StoredOf<"tool_started">): void {
  const { call_id, tool_name, input: changed, input_for } = event.data;
  // A hook may hide what it has changed, e.g. because the input has a secret.
  const isOwn = changed === undefined || input_for === "nobody";
  const input = isOwn ? session.inputs.get(call_id) : JSON.stringify(changed);
  const attributes = {
    ...toolAttributes(event, session.run?.data.agent),
    ...(spans.content && input !== undefined && { "gen_ai.tool.call.arguments": input }),
  };
  const span = begin(spans, session, event, `execute_tool ${tool_name}`, {
    kind: SpanKind.INTERNAL,
    attributes,
  });
  session.tools.set(call_id, { span });
}

/**
 * Starts a span below the run's span, with all attributes that are known, so that samplers see them. If the
 * run started in another process, its span starts here.
 */
function begin(spans: Spans, session: Session, event: StoredEvent, name: string, how: SpanOptions): Span {
  const agent = session.agent ?? beginAgent(spans, session, event);
  const within = trace.setSpan(ROOT_CONTEXT, agent);
  return spans.tracer.startSpan(name, { startTime: Date.parse(event.at), ...how }, within);
}
