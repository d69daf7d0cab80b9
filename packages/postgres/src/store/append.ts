import type { StoredEvent } from "@pawl/core";
import {
  type AppendCall,
  type AppendOptions,
  appendInSql,
  batchText,
  keysOf,
  type NewEvent,
  type PreparedEvent,
  type Refused,
} from "@pawl/core/store";
import { ask, type Database, type Row } from "../database/queryable.ts";
import { eventColumns, toEvent } from "./rows.ts";

/** Implements {@link EventStore.append}. */
export async function append(
  db: Database,
  sessionId: string,
  events: readonly NewEvent[],
  options: AppendOptions,
): Promise<readonly StoredEvent[]> {
  const log = {
    append: async (call: AppendCall) => {
      const [row] = await (isPlain(call) ? storeOne(db, call) : storeAll(db, call));
      if (typeof row?.done !== "string") return undefined;
      const [base, at = ""] = row.done.split(" ");
      return { base: Number(base), at };
    },
    explain: async (call: AppendCall) => await explain(db, call),
  };
  return await appendInSql(log, sessionId, events, options);
}

/** Returns whether an append is a single event that changes nothing else, as most are. */
function isPlain({ events, release, patch }: AppendCall): boolean {
  return events.length === 1 && !release && patch === null;
}

/** Stores a single event. The statement's text is short, because drivers look statements up by their text. */
async function storeOne(db: Database, call: AppendCall): Promise<readonly Row[]> {
  const { sessionId, appendId, version, events, leaseEpoch, leaseHolder, afterSeq } = call;
  const { type, key, durationMs, data } = events[0] as PreparedEvent;
  const event = [type, key, durationMs, data];
  return await ask(db, "SELECT pawl_store_event($1,$2,$3,$4,$5,$6,$7,$8,$9,$10) AS done", [
    sessionId,
    appendId,
    version,
    ...event,
    leaseEpoch,
    leaseHolder,
    afterSeq,
  ]);
}

/** Stores any append. */
async function storeAll(db: Database, call: AppendCall): Promise<readonly Row[]> {
  const { sessionId, appendId, version, events, leaseEpoch, leaseHolder, afterSeq, release, patch } = call;
  const { heads, payloads } = batchText(call);
  return await ask(db, "SELECT pawl_store_events($1,$2,$3,$4,$5,$6,$7,$8,$9,$10,$11) AS done", [
    sessionId,
    appendId,
    version,
    events.length,
    heads,
    payloads,
    leaseEpoch,
    leaseHolder,
    afterSeq,
    release,
    patch,
  ]);
}

async function explain(db: Database, call: AppendCall): Promise<Refused | undefined> {
  const { sessionId, appendId } = call;
  const [session] = await ask(
    db,
    "SELECT last_sequence, lease_holder, lease_epoch FROM agent_sessions WHERE id = $1::text",
    [sessionId],
  );
  if (session === undefined) return undefined;
  const before = await ask(db, firstTime, [sessionId, appendId]);
  const [taken] = await ask(db, byKeys, [sessionId, JSON.stringify(keysOf(call))]);
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

/** Finds the event with the first taken key, in the order of the append's keys. */
const byKeys = `
SELECT ${eventColumns}
FROM json_array_elements_text($2::text::json) WITH ORDINALITY AS k (key, n), agent_session_events e
WHERE e.session_id = $1::text AND e.event_key = k.key
ORDER BY k.n LIMIT 1`;
