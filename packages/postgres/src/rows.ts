import type { Json, JsonObject, Session, SessionStatus, StoredEvent } from "@pawl/core";
import type { Row } from "./queryable.ts";

/** A time as ISO 8601 in UTC with milliseconds, whatever zone and driver. */
export function iso(column: string): string {
  return `to_char(${column} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;
}

/** What {@link toSession} reads. Order by columns of the table, `s.created_at`, not by these texts. */
export const sessionColumns: string = `s.id, s.user_id, s.agent, s.status, ${iso("s.created_at")} AS created,
  ${iso("s.updated_at")} AS updated, s.last_sequence, s.open_run, s.pending, s.context_start_sequence,
  s.input_tokens, s.output_tokens, s.cached_tokens, s.cache_write_tokens, s.cache_write_1h_tokens,
  s.total_cost_cents, s.metadata::text AS metadata`;

/** A session of a row with {@link sessionColumns}. Drivers give large integers as text, number or bigint. */
export function toSession(row: Row): Session {
  return {
    id: String(row.id),
    userId: String(row.user_id),
    agent: String(row.agent),
    status: row.status as SessionStatus,
    createdAt: String(row.created),
    updatedAt: String(row.updated),
    lastSeq: Number(row.last_sequence),
    openRun: row.open_run as string | null,
    pending: Number(row.pending),
    contextStartSeq: Number(row.context_start_sequence),
    usage: {
      inputTokens: Number(row.input_tokens),
      outputTokens: Number(row.output_tokens),
      cacheReadTokens: Number(row.cached_tokens),
      cacheWriteTokens: Number(row.cache_write_tokens),
      cacheWrite1hTokens: Number(row.cache_write_1h_tokens),
    },
    costCents: Number(row.total_cost_cents),
    metadata: JSON.parse(String(row.metadata)) as JsonObject,
  };
}

/** What {@link toEvent} reads. */
export const eventColumns: string = `e.session_id, e.sequence_number, e.version, ${iso("e.timestamp")} AS at,
  e.event_type, e.event_key, e.duration_ms, e.data::text AS data`;

/** An event of a row with {@link eventColumns}. */
export function toEvent(row: Row): StoredEvent {
  return {
    sessionId: String(row.session_id),
    seq: Number(row.sequence_number),
    v: Number(row.version),
    at: String(row.at),
    type: row.event_type,
    ...(row.event_key === null ? {} : { key: row.event_key }),
    ...(row.duration_ms === null ? {} : { durationMs: Number(row.duration_ms) }),
    data: JSON.parse(String(row.data)) as Json,
  } as StoredEvent;
}
