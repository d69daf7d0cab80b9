import type { ReadOptions, StoredEvent } from "@pawl/core";
import { isName } from "@pawl/core";
import { ask, type Database } from "./queryable.ts";
import { eventColumns, toEvent } from "./rows.ts";

/** Events read at once, at first and at most: most readers want little, and a log is never in memory as a whole. */
const FIRST_PAGE = 250;
const LAST_PAGE = 1_000;

/**
 * {@link EventStore.read}: page by page after the last `seq`, so what is appended meanwhile comes too. No generator: one
 * costs several turns of the microtask queue for every event.
 */
export function read(db: Database, sessionId: string, options: ReadOptions = {}): AsyncIterable<StoredEvent> {
  return { [Symbol.asyncIterator]: () => reader(db, sessionId, options) };
}

function reader(
  db: Database,
  sessionId: string,
  { afterSeq = 0, types, limit = Number.POSITIVE_INFINITY }: ReadOptions,
): AsyncIterator<StoredEvent> {
  const wanted = types === undefined ? null : JSON.stringify(types);
  let after = afterSeq;
  let left = isName(sessionId) ? limit : 0;
  let size = FIRST_PAGE;
  let events: readonly StoredEvent[] = [];
  let at = 0;
  const nextPage = async () => {
    const asked = Math.min(size, left);
    const rows = asked > 0 ? await ask(db, page, [sessionId, after, wanted, asked]) : [];
    events = rows.map((row) => toEvent(sessionId, row));
    at = 0;
    after = events.at(-1)?.seq ?? after;
    left = rows.length < asked ? 0 : left - rows.length;
    size = LAST_PAGE;
  };
  return {
    next: async () => {
      if (at === events.length && left > 0) await nextPage();
      const value = events[at];
      if (value === undefined) return { done: true, value: undefined };
      at += 1;
      return { done: false, value };
    },
  };
}

const page = `
SELECT ${eventColumns} FROM agent_session_events e
WHERE e.session_id = $1::text AND e.sequence_number > $2::int
  AND ($3::text IS NULL OR e.event_type IN (SELECT json_array_elements_text($3::text::json)))
ORDER BY e.sequence_number LIMIT $4::int`;
