import type { Agent } from "../../agent/agent.ts";
import { withoutHandOvers } from "../../agent/hand-overs.ts";
import { PawlError } from "../../base/errors.ts";
import type { Budget } from "../../log/budget.ts";
import type { EventData } from "../../log/event-data.ts";
import { hiddenBy } from "../../log/event-parts.ts";
import type { Session } from "../../log/session-row.ts";
import { createOnce } from "../../log/store/create-once.ts";
import { REDACTED } from "../../log/store/redacted.ts";
import { type CallingLeg, effectiveType } from "../../loop/leg/effective-type.ts";
import type { Leg } from "../../loop/leg/leg.ts";
import { textOf } from "../../model/content.ts";
import type { CallState } from "../../session/state.ts";
import type { Host } from "../leg/host.ts";
import { childId, isTaskSession } from "../leg/task-session.ts";

/** Returns the agent name of a sub-agent's session. No runtime has an agent with this name. */
function childName(caller: string, tool: string): string {
  return `${caller}/${tool}`;
}

/**
 * Finds the session in which a sub-agent worked on a call. Returns `undefined` if none was created, or if
 * another session has its id: clients may choose ids, too.
 */
export async function taskSession(
  host: Host,
  parent: Session,
  callId: string,
  tool: string,
): Promise<Session | undefined> {
  const session = await host.store.sessions.get(childId(parent.id, callId));
  if (session?.userId !== parent.userId || !isTaskSession(session)) return undefined;
  // The caller is the agent that had the conversation then, which may not be the session's own.
  return session.agent.endsWith(childName("", tool)) ? session : undefined;
}

/** Returns whether the sub-agent of a call has got its task. If so, its log decides how it continues. */
export async function hasTask(host: Host, { run }: Leg, { callId, toolName }: CallState): Promise<boolean> {
  const session = await taskSession(host, run.session, callId, toolName);
  if (session === undefined) return false;
  for await (const _ of host.store.read(session.id, { types: ["user_message"] })) return true;
  return false;
}

/**
 * Returns the agent for one task, with its budget slice as limits. No runtime knows the agent's name, so that
 * only the call continues the session.
 */
export function childAgent(agent: Agent, caller: string, tool: string, slice: Partial<Budget>): Agent {
  return {
    ...withoutHandOvers(agent),
    name: childName(caller, tool),
    limits: { ...agent.limits, ...slice },
    whenBusy: "reject",
  };
}

/**
 * Opens the session of a call's sub-agent, and creates it on first use. Its type is the caller's current
 * type, so that the sub-agent may do nothing that its caller may not.
 */
export async function openChild(
  host: Host,
  leg: CallingLeg,
  callId: string,
  agent: string,
): Promise<Session> {
  const parent = leg.run.session;
  const id = childId(parent.id, callId);
  const { userId } = parent;
  const type = effectiveType(leg);
  // The caller's session may be a fork, but the sub-agent's session is not.
  const { forked_from: _, ...metadata } = ofType(parent, type).metadata;
  const origin = { session_id: parent.id, call_id: callId };
  const session =
    (await host.store.sessions.get(id)) ??
    (await createOnce(host.store, { id, userId, agent, metadata: { ...metadata, parent: origin } }));
  return ofType(checkOwner(session, userId, agent), type);
}

/**
 * Returns the session with its caller's current type. The stored row has the type that the caller had when
 * the task began.
 */
function ofType(session: Session, type: string | undefined): Session {
  const { type: _, ...metadata } = session.metadata;
  return { ...session, metadata: type === undefined ? metadata : { ...metadata, type } };
}

/**
 * Returns the session. Throws `conflict` if it belongs to another user or agent: clients may choose ids too,
 * so another session may already have this id.
 */
function checkOwner(session: Session, userId: string, agent: string): Session {
  if (session.userId === userId && session.agent === agent) return session;
  throw new PawlError("conflict", "The id of this sub-agent's session is taken by another session.");
}

/** The most characters of the conversation that a sub-agent gets. */
const MOST_HISTORY_CHARS = 40_000;

/**
 * Returns the texts of the user and the assistant so far, for a sub-agent: the newest ones, up to 40,000
 * characters. Calls, results, redacted texts and hidden messages are left out. Returns `undefined` without
 * texts.
 */
export async function conversationSoFar(leg: Leg): Promise<EventData["knowledge"] | undefined> {
  const texts = new Map<number, string>();
  const types = ["user_message", "assistant_message", "checkpoint"] as const;
  for await (const { type, data, seq } of leg.run.read({ types: [...types] })) {
    if (type === "user_message") texts.set(seq, said("User", data.message));
    else if (type === "checkpoint") for (const hidden of hiddenBy(data)) texts.delete(hidden);
    else if (data.disposition !== "discarded") texts.set(seq, said("Assistant", textOf(data.content)));
  }
  const lines = [...texts.values()].filter((text) => text !== "");
  let chars = 0;
  const fits = (line: string) => {
    chars += line.length + 2;
    return chars <= MOST_HISTORY_CHARS + 2;
  };
  const tooLong = lines.findLastIndex((line) => !fits(line));
  const text = lines
    .slice(Math.min(tooLong + 1, lines.length - 1))
    .join("\n\n")
    .slice(-MOST_HISTORY_CHARS);
  return text === "" ? undefined : { source: "conversation", data: text, tag: "Conversation" };
}

function said(who: string, text: string): string {
  return text.trim() === "" || text === REDACTED ? "" : `${who}: ${text}`;
}
