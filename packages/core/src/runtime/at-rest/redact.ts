import type { Agent } from "../../agent/agent.ts";
import { PawlError } from "../../base/errors.ts";
import { fileIdsOf } from "../../context/file-blocks.ts";
import { newPrefix } from "../../context/prefix.ts";
import { userDataBlock } from "../../context/user-data.ts";
import type { NewEvent, StoredEvent } from "../../log/event.ts";
import type { EventData } from "../../log/event-data.ts";
import type { OfCall } from "../../log/event-parts.ts";
import type { Session } from "../../log/session-row.ts";
import { isRedactable, REDACTED, readShown } from "../../log/store/redacted.ts";
import type { SessionState } from "../../session/state.ts";
import type { Host } from "../leg/host.ts";
import { rootOf } from "../leg/task-session.ts";
import { taskSession } from "../tasks/child-session.ts";
import { whileIdle } from "./at-rest.ts";
import {
  callIdOf,
  callsOf,
  endedRunOf,
  eventsToRedact,
  isUserData,
  redactedIn,
  targetsIn,
} from "./events-to-redact.ts";
import { withinRead } from "./session-reads.ts";

/**
 * Redacts an event and all events that repeat its content:
 *
 * - for a model's answer, its calls and questions;
 * - for a result, the user's answer that it contains;
 * - for user data, every copy;
 * - for a call, the sessions of its sub-agent and of the agents that its tool has run;
 * - for a message or an answer, the sessions of agents that hooks have run after it in the same run;
 * - for an answer, a result or a question, the extensions' events and emitted parts that have its `call_id`;
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

/**
 * Returns the calls of an answer or a result that were started, with the tasks of their tools, on which
 * agents may have worked. Of a message or an answer, also returns the tasks that hooks have given after it in
 * the same run: they may quote it.
 */
function tasksOf(log: readonly StoredEvent[], target: StoredEvent): OfCall[] {
  const calls = new Set(callsOf(target));
  const ofCalls = log.flatMap(taskIn).filter(({ of_call }) => calls.has(of_call));
  if (target.type !== "user_message" && target.type !== "assistant_message") return ofCalls;
  const end = log.find((event) => event.seq > target.seq && isEndFor(target, event))?.seq ?? Infinity;
  const after = log.filter(({ seq }) => seq > target.seq && seq < end);
  return [...ofCalls, ...after.flatMap(taskIn).filter(({ of_call }) => of_call === "")];
}

/** Returns whether an event ends the run of a message or an answer. The next run may have queued ones. */
function isEndFor({ seq }: StoredEvent, event: StoredEvent): boolean {
  return event.type === "run_ended" && event.data.next?.messages.includes(seq) !== true;
}

/** Returns the call, or the task of a call, that an event starts; an empty list for other events. */
function taskIn({ type, data }: StoredEvent): (OfCall & { of_call: string })[] {
  if (type === "tool_started")
    return [{ call_id: data.call_id, tool_name: data.tool_name, of_call: data.call_id }];
  if (type !== "task_started") return [];
  return [{ call_id: data.task_id, tool_name: data.agent, of_call: data.call_id ?? "" }];
}

/**
 * Redacts a sub-agent's whole session, because it repeats the call and its result in other words. The session
 * may have an open run that could not be ended; no process resumes that run.
 */
async function redactTask(
  host: Host,
  parent: Session,
  agent: Agent,
  { call_id, tool_name }: OfCall,
): Promise<StoredEvent[]> {
  const session = await taskSession(host, parent, call_id, tool_name);
  if (session === undefined) return [];
  const redactAll = async (state: SessionState) => {
    const log = await Array.fromAsync(host.store.read(session.id));
    const ofTasks: StoredEvent[] = [];
    for (const task of log.flatMap(taskIn)) ofTasks.push(...(await redactTask(host, session, agent, task)));
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
  const call_id = callIdOf(event);
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
