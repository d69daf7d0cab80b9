import type { StoredEvent } from "@pawl/core";
import { isName, type ReadOptions, readPages } from "@pawl/core/store";
import type { SqliteDatabase } from "../database/sqlite-database.ts";
import { toEvent } from "./rows.ts";

/** Implements {@link EventStore.read}. */
export function read(
  db: SqliteDatabase,
  sessionId: string,
  options: ReadOptions = {},
): AsyncIterable<StoredEvent> {
  const { types } = options;
  return readPages(
    async (afterSeq, limit) =>
      isName(sessionId) ? eventsAfter(db, sessionId, { afterSeq, limit, types }) : [],
    options,
  );
}

/** Returns a session's next events, in order. */
export function eventsAfter(
  db: SqliteDatabase,
  sessionId: string,
  { afterSeq, limit, types }: { afterSeq: number; limit: number; types?: readonly string[] | undefined },
): StoredEvent[] {
  const rows =
    types === undefined
      ? db.run(page(""), [sessionId, afterSeq, limit])
      : db.run(page("AND event_type IN (SELECT value FROM json_each(?))"), [
          sessionId,
          afterSeq,
          JSON.stringify(types.filter(isName)),
          limit,
        ]);
  return rows.map((row) => toEvent(db, row));
}

function page(condition: string): string {
  return `SELECT * FROM agent_session_events
WHERE session_id = ? AND sequence_number > ? ${condition} ORDER BY sequence_number LIMIT ?`;
}
