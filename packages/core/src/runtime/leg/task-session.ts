import { isJsonObject } from "../../base/json.ts";
import type { Session } from "../../log/session-row.ts";
import type { EventStore } from "../../log/store/event-store.ts";
import type { CallState } from "../../session/state.ts";

/** Returns the id of the session in which a sub-agent works on a call. */
export function childId(sessionId: string, callId: string): string {
  return `${sessionId}:${callId}`;
}

/** Returns whether the session is a sub-agent's. Its agent need not be in the runtime's `agents`. */
export function isTaskSession({ id, metadata: { parent } }: Session): boolean {
  if (!isJsonObject(parent)) return false;
  const { session_id, call_id } = parent;
  return id === childId(String(session_id), String(call_id));
}

/** Returns whether a sub-agent does, or did, the work of a call. */
export function isTask({ started }: CallState): boolean {
  return started?.slice !== undefined;
}

/**
 * Returns the id of the user's session for which a sub-agent works, at any depth. Returns the id of any other
 * session unchanged.
 */
export async function rootOf({ sessions }: Pick<EventStore, "sessions">, session: Session): Promise<string> {
  let { id, metadata } = session;
  for (;;) {
    const { parent } = metadata;
    if (!isJsonObject(parent) || id !== `${parent.session_id}:${parent.call_id}`) return id;
    const caller = await sessions.get(String(parent.session_id));
    if (caller?.userId !== session.userId) return id;
    ({ id, metadata } = caller);
  }
}
