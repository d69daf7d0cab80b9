import type { Agent } from "../agent.ts";
import { PawlError } from "../errors.ts";
import type { Session } from "../events/session-row.ts";
import type { Host } from "../host.ts";
import type { Budget } from "../stop/budget.ts";
import type { Delegate } from "./agent-tool.ts";

/** The session in which a call's task is done. */
export function childId(sessionId: string, callId: string): string {
  return `${sessionId}:${callId}`;
}

/**
 * The agent for one task, with its share of the limits. It goes by a name that no runtime knows: only the call that
 * gave the task goes on with the session.
 */
export function childAgent({ agent }: Delegate, caller: string, tool: string, slice: Partial<Budget>): Agent {
  return { ...agent, name: `${caller}/${tool}`, limits: { ...agent.limits, ...slice }, whenBusy: "reject" };
}

/** The call's session; it is made when it is first needed. */
export async function openChild(
  host: Host,
  parent: Session,
  callId: string,
  agent: string,
): Promise<Session> {
  const id = childId(parent.id, callId);
  const { userId } = parent;
  // The task is no copy of anything, even where its caller is.
  const { forked_from: _, ...metadata } = parent.metadata;
  const known = await host.store.sessions.get(id);
  if (known !== undefined) return own(known, userId, agent);
  try {
    return await host.store.sessions.create({
      id,
      userId,
      agent,
      metadata: { ...metadata, parent: { session_id: parent.id, call_id: callId } },
    });
  } catch (error) {
    const made = PawlError.is(error, "conflict") ? await host.store.sessions.get(id) : undefined;
    if (made === undefined) throw error;
    return own(made, userId, agent);
  }
}

/** Ids are made by clients too: a session that only happens to have this id is none of ours. */
function own(session: Session, userId: string, agent: string): Session {
  if (session.userId === userId && session.agent === agent) return session;
  throw new PawlError("conflict", "The session for this task belongs to something else.");
}
