import type { Agent } from "../../agent/agent.ts";
import { PawlError } from "../../base/errors.ts";
import { newPrefix, USER_DATA } from "../../context/prefix.ts";
import { userDataBlock } from "../../context/user-data.ts";
import { contextTypes } from "../../log/context-types.ts";
import type { EventData, NewEvent, StoredEvent } from "../../log/event.ts";
import { isRedactable, REDACTED } from "../../log/redacted.ts";
import type { Session } from "../../log/session-row.ts";
import { isToolUse } from "../../model/content.ts";
import type { SessionState } from "../../session/state.ts";
import type { Host } from "../leg/host.ts";
import { taskSession } from "../tasks/child-session.ts";
import { whileIdle } from "./at-rest.ts";

/**
 * Redacts the event `seq` and the events that repeat it: calls and questions of an answer, the answer behind
 * a result, user data wherever it was sent, and the session of a sub-agent that did a call's work. A new
 * prefix starts, because what precedes later answers has changed.
 *
 * @throws PawlError `invalid_input` for an event that the model does not read, `session_busy` while a run is
 * open.
 */
export async function redact(host: Host, session: Session, agent: Agent, seq: number): Promise<void> {
  await whileIdle(host, session, agent, async (state) => {
    const log = await Array.fromAsync(host.store.read(session.id));
    const target = log[seq - 1];
    const found = target === undefined ? [] : sameText(log, target);
    if (target === undefined || found.length === 0)
      throw new PawlError("invalid_input", "There is nothing to redact in this event.");
    // The sub-agents' sessions come first. If the process dies in between, the call still has something to
    // redact, and redacting it again completes both.
    for (const call of tasksOf(log, target)) await redactTask(host, session, agent, call);
    const events = [...found.map(redactionOf), ...redactedPrefix(state, isUserData(target), host.newId())];
    return { result: undefined, events };
  });
}

const TARGETS: readonly string[] = [...contextTypes, "checkpoint", "prefix"];

/** Returns the event and those that repeat it; none if the event has nothing to redact. */
function sameText(log: readonly StoredEvent[], target: StoredEvent): StoredEvent[] {
  if (!TARGETS.includes(target.type)) return [];
  if (isUserData(target)) return log.filter(isUserData);
  const asking = new Set(callsOf(target));
  const ran = new Set(log.flatMap((event) => (RUNNING.includes(event.type) ? [callOf(event)] : [])));
  return log.filter((event) => {
    if (event === target) return true;
    const call = callOf(event);
    if (call === undefined || !asking.has(call)) return false;
    if (target.type === "tool_result") return event.type === "tool_answered";
    if (event.type === "tool_started") return event.data.input !== undefined;
    // The error that answers a call that never ran is about its input, and may quote it.
    if (event.type === "tool_result") return !ran.has(call);
    return event.type === "tool_call" || event.type === "tool_suspended";
  });
}

const RUNNING: readonly string[] = ["tool_started", "tool_suspended"];

/**
 * Whether the event has user data. It is in the prefix, and again wherever it has changed or the context
 * starts anew.
 */
function isUserData(event: StoredEvent): boolean {
  return event.type === "prefix" || (event.type === "knowledge" && event.data.source === USER_DATA);
}

function callOf({ data }: StoredEvent): string | undefined {
  return (data as { call_id?: string }).call_id;
}

/** Returns the calls that an answer makes, or the call of a result. */
function callsOf(target: StoredEvent): string[] {
  if (target.type === "tool_result") return [target.data.call_id];
  return target.type === "assistant_message" ? target.data.content.filter(isToolUse).map(({ id }) => id) : [];
}

/** Returns those of its calls that have started, and that a sub-agent may have worked for. */
function tasksOf(log: readonly StoredEvent[], target: StoredEvent): EventData["tool_started"][] {
  const calls = new Set(callsOf(target));
  return log.flatMap((event) =>
    event.type === "tool_started" && calls.has(event.data.call_id) ? [event.data] : [],
  );
}

/**
 * Redacts all of a task's session, because it repeats the call and its result in other words. The session may
 * have an open run that could not be ended; no process resumes it.
 */
async function redactTask(
  host: Host,
  parent: Session,
  agent: Agent,
  { call_id, tool_name }: EventData["tool_started"],
): Promise<void> {
  const session = await taskSession(host, parent, call_id, tool_name);
  if (session === undefined) return;
  const redactAll = async (state: SessionState) => {
    const log = await Array.fromAsync(host.store.read(session.id));
    for (const event of log)
      if (event.type === "tool_started") await redactTask(host, session, agent, event.data);
    const over = new Set(log.flatMap((event) => (event.type === "redaction" ? [event.data.seq] : [])));
    const found = log.filter(
      (event) => event.type !== "prefix" && isRedactable(event) && !over.has(event.seq),
    );
    const events = found.map(redactionOf);
    return {
      result: undefined,
      events: found.length === 0 ? [] : [...events, ...redactedPrefix(state, false, host.newId())],
    };
  };
  await whileIdle(host, session, agent, redactAll, { evenOpen: true });
}

/** Returns the redaction of an event. It names what is redacted for readers that see only this event. */
function redactionOf(event: StoredEvent): NewEvent {
  const { seq, type: of } = event;
  const call_id = callOf(event);
  const data: EventData["redaction"] = { seq, of, ...(call_id !== undefined && { call_id }) };
  if (event.type === "assistant_message") data.attempt = event.data.attempt;
  return { type: "redaction", data };
}

function redactedPrefix(state: SessionState, isUserData: boolean, prefixId: string): NewEvent[] {
  if (state.prefix === undefined) return [];
  const { system } = state.prefix;
  const blocks = isUserData && system.length > 1 ? [...system.slice(0, 1), userDataBlock(REDACTED)] : system;
  return [newPrefix(state, prefixId, blocks)];
}
