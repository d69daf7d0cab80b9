import type { StoredEvent } from "@pawl/core";
import { isName, type ReadOptions, readPages } from "@pawl/core/store";
import { ask, type Database } from "../database/queryable.ts";
import { eventColumns, toEvent } from "./rows.ts";

/** Implements {@link EventStore.read}, with one statement per page. */
export function read(db: Database, sessionId: string, options: ReadOptions = {}): AsyncIterable<StoredEvent> {
  const wanted = options.types === undefined ? null : JSON.stringify(options.types.filter(isName));
  return readPages(async (afterSeq, limit) => {
    const rows = isName(sessionId) ? await ask(db, page, [sessionId, afterSeq, wanted, limit]) : [];
    return rows.map((row) => toEvent(sessionId, row));
  }, options);
}

const page = `
SELECT ${eventColumns} FROM agent_session_events e
WHERE e.session_id = $1::text AND e.sequence_number > $2::int
  AND ($3::text IS NULL OR e.event_type IN (SELECT json_array_elements_text($3::text::json)))
ORDER BY e.sequence_number LIMIT $4::int`;
