import {
  type AppendCall,
  type AppendOptions,
  appendInSql,
  type NewEvent,
  type Refused,
  type StoredEvent,
} from "@pawl/core";
import { ask, type Database } from "./queryable.ts";
import { eventColumns, toEvent } from "./rows.ts";

/** {@link EventStore.append}. */
export async function append(
  db: Database,
  sessionId: string,
  events: readonly NewEvent[],
  options: AppendOptions,
): Promise<readonly StoredEvent[]> {
  const log = {
    append: async (call: AppendCall) => {
      const [row] = await ask(db, appendStatement, appendValues(call));
      return row === undefined ? undefined : { base: Number(row.base), at: String(row.at) };
    },
    explain: async (call: AppendCall) => await explain(db, call),
  };
  return await appendInSql(log, sessionId, events, options);
}

/** The whole append, see migration 3. No row: it was refused. */
const appendStatement = `
SELECT base, at FROM pawl_append($1::text, $2::text, $3::integer, $4::integer, $5::text::json, $6::text::json,
  $7::integer, $8::text, $9::integer, $10::boolean, $11::text::json)`;

/** The values of {@link appendStatement}. */
function appendValues(call: AppendCall): unknown[] {
  const { sessionId, appendId, version, size, heads, payloads } = call;
  const { leaseEpoch, leaseHolder, afterSeq, release, patch } = call;
  return [
    sessionId,
    appendId,
    version,
    size,
    heads,
    payloads,
    leaseEpoch,
    leaseHolder,
    afterSeq,
    release,
    patch,
  ];
}

async function explain(
  db: Database,
  { sessionId, appendId, keys }: AppendCall,
): Promise<Refused | undefined> {
  const [session] = await ask(
    db,
    "SELECT last_sequence, lease_holder, lease_epoch FROM agent_sessions WHERE id = $1::text",
    [sessionId],
  );
  if (session === undefined) return undefined;
  const before = await ask(db, firstTime, [sessionId, appendId]);
  const [taken] = await ask(db, byKeys, [sessionId, JSON.stringify(keys)]);
  return {
    lastSeq: Number(session.last_sequence),
    leaseHolder: session.lease_holder === null ? null : String(session.lease_holder),
    leaseEpoch: Number(session.lease_epoch),
    before: before.map((row) => toEvent(sessionId, row)),
    taken: taken === undefined ? undefined : toEvent(sessionId, taken),
  };
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
