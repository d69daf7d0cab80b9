import { centsFromUsd, type JsonObject, type StoredEvent, usdFromCents } from "@pawl/core";
import {
  type AppendCall,
  type AppendOptions,
  addUsd,
  appendInSql,
  jsonbText,
  keysOf,
  type NewEvent,
  type PreparedEvent,
  type Refused,
  type SessionPatch,
  statusAfter,
  wakeAtAfter,
} from "@pawl/core/store";
import type { Row, SqliteDatabase } from "../database/sqlite-database.ts";
import type { CommittingDatabase } from "./group-commit.ts";
import { partsOf } from "./long-text.ts";
import { isoOf, rowOf, timeOf, toEvent, toSession } from "./rows.ts";

/** Implements {@link EventStore.append}, in one transaction. */
export async function append(
  db: CommittingDatabase,
  sessionId: string,
  events: readonly NewEvent[],
  options: AppendOptions,
): Promise<readonly StoredEvent[]> {
  const log = {
    append: (call: AppendCall) => db.commit(() => storeAll(db, call, options.session ?? {})),
    explain: async (call: AppendCall) => explain(db, call),
  };
  return await appendInSql(log, sessionId, events, options);
}

/** Stores an append. Returns `undefined` if it is refused. */
function storeAll(
  db: SqliteDatabase,
  call: AppendCall,
  patch: SessionPatch,
): { base: number; at: string } | undefined {
  const row = rowOf(db, call.sessionId);
  if (row === undefined || !fits(call, row) || isTaken(db, call)) return undefined;
  const base = Number(row.last_sequence);
  const at = Math.max(Number(row.now), Number(row.updated_at));
  for (const [index, event] of call.events.entries()) storeEvent(db, call, event, { base, index, at });
  if (call.events.some(({ type }) => type === "redaction"))
    db.run("DELETE FROM agent_session_snapshots WHERE session_id = ?", [call.sessionId]);
  updateRow(db, call, patch, { row, lastSeq: base + call.events.length, at });
  return { base, at: isoOf(at) };
}

/** Returns whether the session has the lease and the last event that the append requires. */
function fits({ leaseEpoch, leaseHolder, afterSeq }: AppendCall, row: Row): boolean {
  const hasLease =
    leaseEpoch === null || (row.lease_epoch === leaseEpoch && row.lease_holder === leaseHolder);
  return hasLease && (afterSeq === null || row.last_sequence === afterSeq);
}

/** Returns whether the session has an event with the append's id or with one of its keys. */
function isTaken(db: SqliteDatabase, call: AppendCall): boolean {
  const { sessionId, appendId } = call;
  const [row] = db.run(
    `SELECT EXISTS (SELECT 1 FROM agent_session_events WHERE session_id = ? AND append_id = ?)
       OR EXISTS (SELECT 1 FROM agent_session_events
         WHERE session_id = ? AND event_key IN (SELECT value FROM json_each(?))) AS taken`,
    [sessionId, appendId, sessionId, JSON.stringify(keysOf(call))],
  );
  return row?.taken === 1;
}

function storeEvent(
  db: SqliteDatabase,
  { sessionId, appendId, version, events }: AppendCall,
  { type, key, durationMs, data }: PreparedEvent,
  { base, index, at }: { base: number; index: number; at: number },
): void {
  const seq = base + index + 1;
  const [first, ...rest] = partsOf(data);
  const isFirst = index === 0;
  db.run(
    `INSERT INTO agent_session_events (session_id, sequence_number, event_type, version, timestamp,
       duration_ms, event_key, append_id, append_size, parts, data) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    [
      sessionId,
      seq,
      type,
      version,
      at,
      durationMs,
      key,
      isFirst ? appendId : null,
      isFirst ? events.length : null,
      1 + rest.length,
      first,
    ],
  );
  for (const [part, text] of rest.entries())
    db.run(
      "INSERT INTO agent_session_event_parts (session_id, sequence_number, part, data) VALUES (?, ?, ?, ?)",
      [sessionId, seq, part + 1, text],
    );
}

/** Applies an append's changes to the session's row. */
function updateRow(
  db: SqliteDatabase,
  { sessionId, release }: AppendCall,
  patch: SessionPatch,
  { row, lastSeq, at }: { row: Row; lastSeq: number; at: number },
): void {
  const session = toSession(row);
  const pending = session.pending + (patch.addPending ?? 0);
  const wakeAt = wakeAtAfter(session.wakeAt, patch);
  const tokens = patch.addUsage;
  db.run(updateSession, [
    lastSeq,
    at,
    statusAfter(session.status, patch, pending),
    patch.openRun === undefined ? session.openRun : patch.openRun,
    pending,
    wakeAt === null ? null : timeOf("wakeAt", wakeAt),
    patch.contextStartSeq ?? session.contextStartSeq,
    Math.round(tokens?.inputTokens ?? 0),
    Math.round(tokens?.outputTokens ?? 0),
    Math.round(tokens?.cacheReadTokens ?? 0),
    Math.round(tokens?.cacheWriteTokens ?? 0),
    Math.round(tokens?.cacheWrite1hTokens ?? 0),
    centsFromUsd(addUsd(usdFromCents(Number(row.total_cost_cents)), patch.addCostUsd ?? 0)),
    patch.metadata === undefined ? String(row.metadata) : merged(session.metadata, patch.metadata),
    release ? 1 : 0,
    release ? 1 : 0,
    sessionId,
  ]);
}

const updateSession = `
UPDATE agent_sessions SET last_sequence = ?, updated_at = ?, status = ?, open_run = ?, pending = ?,
  wake_at = ?, context_start_sequence = ?, input_tokens = input_tokens + ?, output_tokens = output_tokens + ?,
  cached_tokens = cached_tokens + ?, cache_write_tokens = cache_write_tokens + ?,
  cache_write_1h_tokens = cache_write_1h_tokens + ?, total_cost_cents = ?, metadata = ?,
  lease_holder = CASE ? WHEN 1 THEN NULL ELSE lease_holder END,
  lease_expires_at = CASE ? WHEN 1 THEN NULL ELSE lease_expires_at END
WHERE id = ?`;

function merged(metadata: JsonObject, change: JsonObject): string {
  return JSON.stringify({ ...metadata, ...(JSON.parse(jsonbText(change)) as JsonObject) });
}

function explain(db: SqliteDatabase, call: AppendCall): Refused | undefined {
  const { sessionId, appendId } = call;
  const row = rowOf(db, sessionId);
  if (row === undefined) return undefined;
  const before = db.run(firstTime, [sessionId, appendId, sessionId]);
  const [taken] = db.run(byKeys, [JSON.stringify(keysOf(call)), sessionId]);
  return {
    lastSeq: Number(row.last_sequence),
    leaseHolder: row.lease_holder === null ? null : String(row.lease_holder),
    leaseEpoch: Number(row.lease_epoch),
    before: before.map((event) => toEvent(db, event)),
    taken: taken && toEvent(db, taken),
  };
}

const firstTime = `
SELECT e.* FROM agent_session_events e, agent_session_events first
WHERE first.session_id = ? AND first.append_id = ? AND e.session_id = ?
  AND e.sequence_number >= first.sequence_number
  AND e.sequence_number < first.sequence_number + first.append_size
ORDER BY e.sequence_number`;

/** Finds the event with the first taken key, in the order of the append's keys. */
const byKeys = `
SELECT e.* FROM json_each(?) k, agent_session_events e
WHERE e.session_id = ? AND e.event_key = k.value ORDER BY k.key LIMIT 1`;
