import {
  type AppendOptions,
  checkBatch,
  EVENT_VERSION,
  isName,
  type Json,
  type NewEvent,
  PawlError,
  type StoredEvent,
} from "@pawl/core";
import { appendStatement, type PreparedAppend, prepareAppend } from "./append-statement.ts";
import { ask, type Database, type Row, sqlState } from "./queryable.ts";
import { eventColumns, toEvent } from "./rows.ts";

/** SQLSTATE of a violated unique index: an append id or a key was there, or the number of the event. */
const UNIQUE_VIOLATION = "23505";

/** How often an append is tried that failed for a reason that was gone when looked for. */
const TRIES = 5;

/** {@link EventStore.append}. */
export async function append(
  db: Database,
  sessionId: string,
  events: readonly NewEvent[],
  options: AppendOptions,
): Promise<readonly StoredEvent[]> {
  if (!isName(sessionId)) throw notFound(sessionId);
  checkBatch(events, options.appendId);
  const prepared = prepareAppend(sessionId, events, options);
  let failure: unknown;
  for (let tries = 0; tries < TRIES; tries += 1) {
    try {
      const [row] = await ask(db, appendStatement, prepared.values);
      if (row !== undefined) return storedBy(prepared, row);
    } catch (error) {
      if (sqlState(error) !== UNIQUE_VIOLATION) throw error;
      failure = error;
    }
    const before = await explain(db, prepared, options);
    if (before !== undefined) return before;
  }
  throw new PawlError("store_unavailable", `The append to session "${sessionId}" fails again and again.`, {
    cause: failure,
  });
}

/** No such session. */
export function notFound(id: string): PawlError {
  return new PawlError("not_found", `No session "${id}".`);
}

function storedBy({ sessionId, events, payloads }: PreparedAppend, row: Row): StoredEvent[] {
  const at = String(row.at);
  return events.map(({ type, key, duration_ms }, index) => {
    const event = {
      sessionId,
      seq: Number(row.base) + index + 1,
      v: EVENT_VERSION,
      at,
      type,
      ...(key === undefined ? {} : { key }),
      ...(duration_ms === undefined ? {} : { durationMs: duration_ms }),
      data: JSON.parse(payloads[index] ?? "null") as Json,
    };
    return event as StoredEvent;
  });
}

/**
 * Why nothing was stored: returns the rows of the first time, or throws. `undefined` when there is no reason any more.
 * Looking afterwards is sound because reasons do not go away again: append ids and keys stay, epochs and `seq` rise.
 */
async function explain(
  db: Database,
  { sessionId, events }: PreparedAppend,
  { appendId, lease, afterSeq }: AppendOptions,
): Promise<readonly StoredEvent[] | undefined> {
  const [session] = await ask(
    db,
    "SELECT last_sequence, lease_holder, lease_epoch FROM agent_sessions WHERE id = $1::text",
    [sessionId],
  );
  if (session === undefined) throw notFound(sessionId);
  const before = await ask(db, firstTime, [sessionId, appendId]);
  if (before.length > 0) return before.map((row) => toEvent(sessionId, row));

  const epoch = session.lease_holder === lease?.holder ? Number(session.lease_epoch) : undefined;
  if (lease !== undefined && (lease.sessionId !== sessionId || lease.epoch !== epoch))
    throw new PawlError("fenced", `"${lease.holder}" no longer has the lease of session "${sessionId}".`);

  const lastSeq = Number(session.last_sequence);
  if (afterSeq !== undefined && afterSeq !== lastSeq)
    throw new PawlError("conflict", `Session "${sessionId}" is at ${lastSeq}, not at ${afterSeq}.`, {
      details: { lastSeq },
    });

  const keys = events.flatMap(({ key }) => (key === undefined ? [] : [key]));
  const [taken] = await ask(db, byKeys, [sessionId, JSON.stringify(keys)]);
  if (taken === undefined) return undefined;
  const event = toEvent(sessionId, taken);
  throw new PawlError("key_taken", `Session "${sessionId}" has an event "${event.key}" already.`, {
    details: { key: event.key, event },
  });
}

const firstTime = `
SELECT ${eventColumns} FROM agent_session_events e, agent_session_events first
WHERE first.session_id = $1::text AND first.append_id = $2::text AND e.session_id = $1::text
  AND e.sequence_number >= first.sequence_number
  AND e.sequence_number < first.sequence_number + first.append_size
ORDER BY e.sequence_number`;

/** The event that holds the first taken one of these keys, in the order of the keys. */
const byKeys = `
SELECT ${eventColumns}
FROM json_array_elements_text($2::text::json) WITH ORDINALITY AS k (key, n), agent_session_events e
WHERE e.session_id = $1::text AND e.event_key = k.key
ORDER BY k.n LIMIT 1`;
