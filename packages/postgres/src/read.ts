import type { ReadOptions, StoredEvent } from "@pawl/core";
import { isName } from "@pawl/core";
import { ask, type Queryable } from "./queryable.ts";
import { eventColumns, toEvent } from "./rows.ts";

/** Events read at once: a log is never in memory as a whole. */
const PAGE = 250;

/** {@link EventStore.read}: page by page after the last `seq`, so what is appended meanwhile comes too. */
export async function* read(
  db: Queryable,
  sessionId: string,
  { afterSeq = 0, types, limit = Number.POSITIVE_INFINITY }: ReadOptions = {},
): AsyncGenerator<StoredEvent> {
  if (!isName(sessionId)) return;
  const wanted = types === undefined ? null : JSON.stringify(types);
  let after = afterSeq;
  let left = limit;
  while (left > 0) {
    const size = Math.min(PAGE, left);
    const rows = await ask(db, page, [sessionId, after, wanted, size]);
    for (const row of rows) {
      const event = toEvent(row);
      after = event.seq;
      yield event;
    }
    if (rows.length < size) return;
    left -= size;
  }
}

const page = `
SELECT ${eventColumns} FROM agent_session_events e
WHERE e.session_id = $1::text AND e.sequence_number > $2::int
  AND ($3::text IS NULL OR e.event_type IN (SELECT json_array_elements_text($3::text::json)))
ORDER BY e.sequence_number LIMIT $4::int`;
