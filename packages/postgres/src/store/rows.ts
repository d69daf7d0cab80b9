import {
  type Json,
  type JsonObject,
  type Session,
  type SessionStatus,
  type StoredEvent,
  usdFromCents,
} from "@pawl/core";
import type { Row } from "../database/queryable.ts";

/**
 * Returns SQL for a time as ISO 8601 in UTC with milliseconds, independent of the time zone and the driver.
 */
export function iso(column: string): string {
  return `to_char(${column} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;
}

/**
 * Returns SQL for a text with `=` before it. Without the `=`, PGlite would drop a byte order mark at the
 * text's beginning.
 */
function name(column: string, as: string): string {
  return `'=' || ${column} AS ${as}`;
}

function named(value: unknown): string {
  return String(value).slice(1);
}

/** The columns that {@link toSession} reads. To sort, use the table's columns, e.g. `s.created_at`. */
export const sessionColumns: string = `${name("s.id", "id")}, ${name("s.user_id", "user_id")},
  ${name("s.agent", "agent")}, s.status, ${iso("s.created_at")} AS created,
  ${iso("s.updated_at")} AS updated, s.last_sequence, ${name("s.open_run", "open_run")}, s.pending,
  ${iso("s.wake_at")} AS wake_at, s.context_start_sequence,
  s.input_tokens, s.output_tokens, s.cached_tokens, s.cache_write_tokens, s.cache_write_1h_tokens,
  s.total_cost_cents, s.metadata::text AS metadata`;

/**
 * Converts a row with {@link sessionColumns} to a session. Drivers return large integers as text, number or
 * bigint.
 */
export function toSession(row: Row): Session {
  return {
    id: named(row.id),
    userId: named(row.user_id),
    agent: named(row.agent),
    status: row.status as SessionStatus,
    createdAt: String(row.created),
    updatedAt: String(row.updated),
    lastSeq: Number(row.last_sequence),
    openRun: row.open_run === null ? null : named(row.open_run),
    pending: Number(row.pending),
    wakeAt: row.wake_at === null ? null : String(row.wake_at),
    contextStartSeq: Number(row.context_start_sequence),
    usage: {
      inputTokens: Number(row.input_tokens),
      outputTokens: Number(row.output_tokens),
      cacheReadTokens: Number(row.cached_tokens),
      cacheWriteTokens: Number(row.cache_write_tokens),
      cacheWrite1hTokens: Number(row.cache_write_1h_tokens),
    },
    costUsd: usdFromCents(Number(row.total_cost_cents)),
    metadata: JSON.parse(String(row.metadata)) as JsonObject,
  };
}

/** The columns that {@link toEvent} reads. Times are in seconds, because formatting them in SQL is slow. */
export const eventColumns: string = `e.sequence_number, e.version, date_part('epoch', e.timestamp) AS at,
  ${name("e.event_type", "event_type")}, ${name("e.event_key", "event_key")}, e.duration_ms, e.data::text AS data`;

/** Converts a row with {@link eventColumns} to an event of this session. */
export function toEvent(sessionId: string, row: Row): StoredEvent {
  const event: Record<string, Json> = {
    sessionId,
    seq: Number(row.sequence_number),
    v: Number(row.version),
    at: isoOf(Number(row.at)),
    type: named(row.event_type),
  };
  if (row.event_key !== null) event.key = named(row.event_key);
  if (row.duration_ms !== null) event.durationMs = Number(row.duration_ms);
  event.data = JSON.parse(String(row.data)) as Json;
  return event as unknown as StoredEvent;
}

/**
 * Converts seconds to ISO 8601, cut to milliseconds like {@link iso}. `seconds` is exact to the microsecond.
 */
export function isoOf(seconds: number): string {
  return new Date(Math.floor(Math.round(seconds * 1e6) / 1_000)).toISOString();
}
