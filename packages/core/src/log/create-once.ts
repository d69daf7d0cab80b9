import { PawlError } from "../base/errors.ts";
import type { EventStore, NewSession } from "./event-store.ts";
import type { Session } from "./session-row.ts";

/** Creates a session, or returns the existing one with this id. */
export async function createOnce({ sessions }: EventStore, session: NewSession): Promise<Session> {
  try {
    return await sessions.create(session);
  } catch (error) {
    const known = PawlError.is(error, "conflict") ? await sessions.get(session.id) : undefined;
    if (known === undefined) throw error;
    return known;
  }
}
