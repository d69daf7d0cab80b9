import { type EventStore, PawlError, type Session } from "@pawl/core";
import type { NewEvent, SessionPatch } from "@pawl/core/store";
import { ofType } from "./invariants.ts";

type Stored = { event: NewEvent; patch: SessionPatch };

/**
 * Plays a user who stores events without the runtime, as users of a database do with `pawl_send_message` and
 * `pawl_answer`. The user chooses the append id.
 */
export function databaseUser(store: EventStore, sessionId: string) {
  /**
   * Stores the events that `make` derives from the session's row. No other append comes in between, because
   * the database locks the row.
   */
  const append = async (appendId: string, make: (row: Session) => Promise<Stored | undefined>) => {
    for (;;) {
      const row = await store.sessions.get(sessionId);
      const made = row && (await make(row));
      if (row === undefined || made === undefined) return;
      try {
        await store.append(sessionId, [made.event], { appendId, session: made.patch, afterSeq: row.lastSeq });
        return;
      } catch (error) {
        if (PawlError.is(error, "key_taken") || PawlError.is(error, "fenced")) return;
        if (!PawlError.is(error, "conflict")) throw error;
      }
    }
  };
  return {
    message: (message: string, appendId: string): Promise<void> =>
      append(appendId, async ({ openRun }) => {
        if (openRun === null) return { event: { type: "user_message", data: { message } }, patch: {} };
        return { event: { type: "user_message", data: { message, queued: true } }, patch: { wakes: true } };
      }),
    /** Answers the oldest open question. */
    answer: (value: { text: string } | { approved: boolean }, appendId: string): Promise<void> =>
      append(appendId, async ({ openRun }) => {
        const log = await Array.fromAsync(store.read(sessionId));
        const answers = new Set(ofType(log, "tool_answered").map(({ key }) => key));
        const keyOf = (key = "") => key.replace(/^asked:/, "answer:");
        const isOpen = (key = "") => key.startsWith("asked:") && !answers.has(keyOf(key));
        const asked = ofType(log, "tool_suspended").find(({ key }) => isOpen(key));
        if (asked === undefined || openRun === null) return undefined;
        const { tool_name, call_id } = asked.data;
        const data = { tool_name, call_id, value };
        return {
          event: { type: "tool_answered", key: keyOf(asked.key), data },
          patch: { wakes: true, addPending: -1 },
        };
      }),
  };
}
