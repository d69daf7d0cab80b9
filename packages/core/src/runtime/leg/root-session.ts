import { isJsonObject } from "../../base/json.ts";
import type { Session } from "../../log/session-row.ts";
import type { EventStore } from "../../log/store/event-store.ts";

/**
 * Returns the id of the session to which a sub-agent's session belongs, at any depth. Returns the id of any
 * other session unchanged.
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
