import { PawlError } from "../../base/errors.ts";
import type { Session } from "../session-row.ts";
import type { EventStore, NewSession } from "./event-store.ts";

/**
 * Creates a session, or returns the existing one with this id.
 *
 * @example
 * ```ts
 * import { memoryStore } from "@pawl/core";
 * import { createOnce } from "@pawl/core/store";
 *
 * const store = memoryStore();
 * await createOnce(store, { id: "s1", userId: "ada", agent: "coach" });
 * const again = await createOnce(store, { id: "s1", userId: "ada", agent: "coach" });
 * console.log(again.id); // s1
 * ```
 */
export async function createOnce({ sessions }: EventStore, session: NewSession): Promise<Session> {
  try {
    return await sessions.create(session);
  } catch (error) {
    const existing = PawlError.is(error, "conflict") ? await sessions.get(session.id) : undefined;
    if (existing === undefined) throw error;
    return existing;
  }
}
