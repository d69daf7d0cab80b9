import type { Agent } from "../../agent/agent.ts";
import { PawlError } from "../../base/errors.ts";
import { fileIdsOf } from "../../context/file-blocks.ts";
import { newPrefix, USER_DATA } from "../../context/prefix.ts";
import { userDataBlock } from "../../context/user-data.ts";
import { contextTypes, type NewEvent, type StoredEvent } from "../../log/event.ts";
import type { EventData } from "../../log/event-data.ts";
import type { Session } from "../../log/session-row.ts";
import { isExtension, isRedactable, REDACTED, readShown } from "../../log/store/redacted.ts";
import { isToolUse } from "../../model/content.ts";
import type { SessionState } from "../../session/state.ts";
import type { Host } from "../leg/host.ts";
import { rootOf } from "../leg/task-session.ts";
import { taskSession } from "../tasks/child-session.ts";
import { whileIdle } from "./at-rest.ts";
import { withinRead } from "./session-reads.ts";

/**
 * Redacts an event and all events that repeat its content:
 *
 * - for a model's answer, its calls and questions;
 * - for a result, the user's answer that it contains;
 * - for user data, every copy;
 * - for a call, the session of its sub-agent;
 * - for an answer, a result or a question, the extensions' events that have its `call_id`;
 * - for the end of a run, the starts of its effects.
 *
 * With `throughSeq`, redacts all events from `seq` to that one, except user data.
 *
 * Deletes the files that only these events have.
 *
 * Starts a new prefix, because the text before later answers has changed.
 *
 * @throws PawlError `invalid_input` if no event has content that can be redacted; `session_busy` while a run
 * is open.
 */
export async function redact(
  host: Host,
  session: Session,
  agent: Agent,
  seq: number,
  throughSeq?: number,
): Promise<void> {
  if (!(Number.isInteger(seq) && seq > 0))
    throw new PawlError("invalid_input", `seq must be the number of an event, from 1; got ${seq}.`);
  if (throughSeq !== undefined && !(Number.isInteger(throughSeq) && throughSeq >= seq))
    throw new PawlError("invalid_input", `throughSeq must be a whole number from ${seq}; got ${throughSeq}.`);
  const redacted = async (state: SessionState) => {
    const log = await Array.fromAsync(host.store.read(session.id));
    const targets = throughSeq === undefined ? log.slice(seq - 1, seq) : targetsIn(log, seq, throughSeq);
    const found = foundFor(log, targets, throughSeq !== undefined);
    if (found.length === 0)
      throw new PawlError("invalid_input", "This event has no content that can be redacted.");
    // Redacts the sub-agents' sessions first. If the process dies in between, the same request can be
    // repeated, because the call itself is still unredacted.
    const ofTasks: StoredEvent[] = [];
    for (const call of targets.flatMap((target) => tasksOf(log, target)))
      ofTasks.push(...(await redactTask(host, session, agent, call)));
    const events = [
      ...found.map(redactionOf),
      ...redactedPrefix(state, found.some(isUserData), host.newId()),
    ];
    return { result: [...found, ...ofTasks], events };
  };
  const asked = { sessionId: session.id, userId: session.userId };
  const hidden = await withinRead(host, asked, () => whileIdle(host, session, agent, redacted));
  await deleteFiles(host, session, hidden);
}

/**
 * Deletes the files of redacted events, unless another event of the session has them too. If the process dies
 * before, the same request can be repeated.
 */
async function deleteFiles(host: Host, session: Session, hidden: readonly StoredEvent[]): Promise<void> {
  const ids = fileIdsOf(hidden);
  if (host.files === undefined || ids.length === 0) return;
  const asked = { sessionId: session.id, userId: session.userId };
  const shown = () => Array.fromAsync(readShown(host.store, session.id));
  const others = new Set(fileIdsOf(await withinRead(host, asked, shown)));
  const unused = ids.filter((id) => !others.has(id));
  await host.files.release(session.userId, await rootOf(host.store, session), unused);
}

/** Returns the events of a range that can be redacted, without user data. */
function targetsIn(log: readonly StoredEvent[], seq: number, throughSeq: number): StoredEvent[] {
  return log
    .slice(Math.max(0, seq - 1), throughSeq)
    .filter((event) => isRedactable(event) && !isUserData(event));
}

/** Returns the targets and all events that repeat them, in order, without those that are redacted already. */
function foundFor(log: readonly StoredEvent[], targets: readonly StoredEvent[], isRange: boolean) {
  const found = new Set(targets.flatMap((target) => sameText(log, target)));
  const over = isRange ? redactedIn(log) : new Set();
  return log.filter((event) => found.has(event) && !over.has(event.seq));
}

function redactedIn(log: readonly StoredEvent[]): ReadonlySet<number> {
  return new Set(log.flatMap((event) => (event.type === "redaction" ? [event.data.seq] : [])));
}

const TARGETS: readonly string[] = [...contextTypes, "checkpoint", "prefix", "spending", "run_ended"];

/**
 * Returns the event and all events that repeat its content. Returns an empty list if the event cannot be
 * redacted.
 */
function sameText(log: readonly StoredEvent[], target: StoredEvent): StoredEvent[] {
  if (isExtension(target)) return [target];
  const question = askedAbout(log, target);
  if (!TARGETS.includes(target.type) && question === undefined) return [];
  if (target.type === "spending") return isRedactable(target) ? [target] : [];
  if (target.type === "run_ended") return log.filter((event) => endOf(event) === target.data.run_id);
  if (isUserData(target)) return log.filter(isUserData);
  if (question !== undefined) return log.filter((event) => callOf(event) === question && isRedactable(event));
  const asking = new Set(callsOf(target));
  const ran = new Set(log.flatMap((event) => (RUNNING.includes(event.type) ? [callOf(event)] : [])));
  return log.filter((event) => {
    if (event === target) return true;
    if (isOutputOf(event, target) || isOutputOf(target, event)) return true;
    const call = callOf(event);
    if (call === undefined || !asking.has(call)) return false;
    if (isExtension(event)) return true;
    if (target.type === "tool_result") return event.type === "tool_answered";
    if (event.type === "tool_started") return event.data.input !== undefined;
    // A call that never ran was answered with an error about its input, which may quote it.
    if (event.type === "tool_result") return !ran.has(call);
    return event.type === "tool_call" || event.type === "tool_suspended";
  });
}

/** Returns the `call_id` of a hook's question about the run, if the event is this question or its answer. */
function askedAbout(log: readonly StoredEvent[], target: StoredEvent): string | undefined {
  if (target.type !== "tool_suspended" && target.type !== "tool_answered") return undefined;
  const asked = log.find(
    (event) =>
      event.type === "tool_suspended" && callOf(event) === callOf(target) && event.data.before !== undefined,
  );
  return asked && callOf(asked);
}

/** Returns the run's id if the event stores its stop reason. */
function endOf(event: StoredEvent): string | undefined {
  return event.type === "run_ended" || event.type === "effect_started" ? event.data.run_id : undefined;
}

/** Returns whether the event is the `output` of this answer, valid or not. */
function isOutputOf(event: StoredEvent, answer: StoredEvent): boolean {
  if (event.type !== "output" || answer.type !== "assistant_message") return false;
  return event.data.attempt === answer.data.attempt;
}

const RUNNING: readonly string[] = ["tool_started", "tool_suspended"];

/**
 * Returns whether the event has user data: a prefix, or `knowledge` that repeats user data after a change or
 * at a new start of the context.
 */
function isUserData(event: StoredEvent): boolean {
  return event.type === "prefix" || (event.type === "knowledge" && event.data.source === USER_DATA);
}

function callOf({ data }: StoredEvent): string | undefined {
  const { call_id } = Object(data) as { call_id?: unknown };
  return typeof call_id === "string" ? call_id : undefined;
}

/** Returns the ids of the calls in a model's answer, or of the call that a result belongs to. */
function callsOf(target: StoredEvent): string[] {
  if (target.type === "tool_result") return [target.data.call_id];
  return target.type === "assistant_message" ? target.data.content.filter(isToolUse).map(({ id }) => id) : [];
}

/** Returns the started calls of an answer or a result. A sub-agent may have worked on them. */
function tasksOf(log: readonly StoredEvent[], target: StoredEvent): EventData["tool_started"][] {
  const calls = new Set(callsOf(target));
  return log.flatMap((event) =>
    event.type === "tool_started" && calls.has(event.data.call_id) ? [event.data] : [],
  );
}

/**
 * Redacts a sub-agent's whole session, because it repeats the call and its result in other words. The session
 * may have an open run that could not be ended; no process resumes that run.
 */
async function redactTask(
  host: Host,
  parent: Session,
  agent: Agent,
  { call_id, tool_name }: EventData["tool_started"],
): Promise<StoredEvent[]> {
  const session = await taskSession(host, parent, call_id, tool_name);
  if (session === undefined) return [];
  const redactAll = async (state: SessionState) => {
    const log = await Array.fromAsync(host.store.read(session.id));
    const ofTasks: StoredEvent[] = [];
    for (const event of log)
      if (event.type === "tool_started")
        ofTasks.push(...(await redactTask(host, session, agent, event.data)));
    const over = redactedIn(log);
    const found = log.filter(
      (event) => event.type !== "prefix" && isRedactable(event) && !over.has(event.seq),
    );
    const events = found.map(redactionOf);
    return {
      result: [...log, ...ofTasks],
      events: found.length === 0 ? [] : [...events, ...redactedPrefix(state, false, host.newId())],
    };
  };
  return await whileIdle(host, session, agent, redactAll, { evenOpen: true });
}

/**
 * Returns the event that redacts another one. It also has the other event's type, call and attempt, for
 * readers that see only the redaction.
 */
function redactionOf(event: StoredEvent): NewEvent {
  const { seq, type: of } = event;
  const call_id = callOf(event);
  const data: EventData["redaction"] = { seq, of, ...(call_id !== undefined && { call_id }) };
  if (event.type === "assistant_message" || event.type === "output") data.attempt = event.data.attempt;
  const run_id = endOf(event);
  if (run_id !== undefined) data.run_id = run_id;
  return { type: "redaction", data };
}

function redactedPrefix(state: SessionState, isUserData: boolean, prefixId: string): NewEvent[] {
  if (state.prefix === undefined) return [];
  const { system } = state.prefix;
  const blocks = isUserData && system.length > 1 ? [...system.slice(0, 1), userDataBlock(REDACTED)] : system;
  return [newPrefix(state, prefixId, blocks)];
}
