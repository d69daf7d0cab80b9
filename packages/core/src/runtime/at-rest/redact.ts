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
  const makeRedactions = async (state: SessionState) => {
    const log = await Array.fromAsync(host.store.read(session.id));
    const targets = throughSeq === undefined ? log.slice(seq - 1, seq) : targetsIn(log, seq, throughSeq);
    const found = eventsToRedact(log, targets, throughSeq !== undefined);
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
  const redacted = await withinRead(host, asked, () => whileIdle(host, session, agent, makeRedactions));
  await deleteFiles(host, session, redacted);
}

/**
 * Deletes the files of redacted events, unless another event of the session has them too. If the process dies
 * before this, the application can repeat its call of `redact()`.
 */
async function deleteFiles(host: Host, session: Session, redacted: readonly StoredEvent[]): Promise<void> {
  const ids = fileIdsOf(redacted);
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

/** Returns the targets and all events that repeat them. For a range, leaves out those redacted already. */
function eventsToRedact(log: readonly StoredEvent[], targets: readonly StoredEvent[], isRange: boolean) {
  const found = new Set(targets.flatMap((target) => sameText(log, target)));
  const already = isRange ? redactedIn(log) : new Set();
  return log.filter((event) => found.has(event) && !already.has(event.seq));
}

function redactedIn(log: readonly StoredEvent[]): ReadonlySet<number> {
  return new Set(log.flatMap((event) => (event.type === "redaction" ? [event.data.seq] : [])));
}

const TARGETS: readonly string[] = [...contextTypes, "checkpoint", "prefix", "spending", "run_ended"];

/** Returns the event and all events that repeat its content; an empty list if it cannot be redacted. */
function sameText(log: readonly StoredEvent[], target: StoredEvent): StoredEvent[] {
  if (isExtension(target)) return [target];
  const question = hookQuestionOf(log, target);
  if (!TARGETS.includes(target.type) && question === undefined) return [];
  if (target.type === "spending") return isRedactable(target) ? [target] : [];
  if (target.type === "run_ended") return log.filter((event) => endedRunOf(event) === target.data.run_id);
  if (isUserData(target)) return log.filter(isUserData);
  if (question !== undefined) return log.filter((event) => callOf(event) === question && isRedactable(event));
  const calls = new Set(callsOf(target));
  const begunCalls = new Set(log.flatMap((event) => (BEGUN.includes(event.type) ? [callOf(event)] : [])));
  return log.filter((event) => {
    if (event === target) return true;
    if (isOutputOf(event, target) || isOutputOf(target, event)) return true;
    const call = callOf(event);
    if (call === undefined || !calls.has(call)) return false;
    if (isExtension(event)) return true;
    if (target.type === "tool_result") return event.type === "tool_answered";
    if (event.type === "tool_started") return event.data.input !== undefined;
    // The result of a call that never began is an error, which may quote the call's input.
    if (event.type === "tool_result") return !begunCalls.has(call);
    return event.type === "tool_call" || event.type === "tool_suspended";
  });
}

/** Returns the `call_id` of a hook's question about the run, if the event asks or answers one. */
function hookQuestionOf(log: readonly StoredEvent[], target: StoredEvent): string | undefined {
  if (target.type !== "tool_suspended" && target.type !== "tool_answered") return undefined;
  const question = log.find(
    (event) =>
      event.type === "tool_suspended" && callOf(event) === callOf(target) && event.data.before !== undefined,
  );
  return question && callOf(question);
}

/** Returns the id of the run whose stop reason the event has; `undefined` for other events. */
function endedRunOf(event: StoredEvent): string | undefined {
  return event.type === "run_ended" || event.type === "effect_started" ? event.data.run_id : undefined;
}

/** Returns whether the event is the `output` that this model's answer gave, valid or not. */
function isOutputOf(event: StoredEvent, answer: StoredEvent): boolean {
  if (event.type !== "output" || answer.type !== "assistant_message") return false;
  return event.data.attempt === answer.data.attempt;
}

const BEGUN: readonly string[] = ["tool_started", "tool_suspended"];

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

/** Returns the calls of an answer or a result that were started. A sub-agent may have worked on them. */
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
    const already = redactedIn(log);
    const found = log.filter(
      (event) => event.type !== "prefix" && isRedactable(event) && !already.has(event.seq),
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
  const run_id = endedRunOf(event);
  if (run_id !== undefined) data.run_id = run_id;
  return { type: "redaction", data };
}

/** Returns a new prefix, without user data if `isHidden`; an empty list if the session has no prefix. */
function redactedPrefix(state: SessionState, isHidden: boolean, prefixId: string): NewEvent[] {
  if (state.prefix === undefined) return [];
  const { system } = state.prefix;
  const blocks = isHidden && system.length > 1 ? [...system.slice(0, 1), userDataBlock(REDACTED)] : system;
  return [newPrefix(state, prefixId, blocks)];
}
