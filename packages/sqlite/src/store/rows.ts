import {
  type Json,
  type JsonObject,
  PawlError,
  type Session,
  type SessionStatus,
  type StoredEvent,
  usdFromCents,
} from "@pawl/core";
import type { Row, SqliteDatabase } from "../database/sqlite-database.ts";
import { joined } from "./long-text.ts";

/**
 * SQL for the current time in milliseconds since 1970. All processes that share a file are on one machine,
 * so they have one clock.
 */
export const NOW = "CAST(round(unixepoch('subsec') * 1000) AS INTEGER)";

/**
 * SQL for whether a session has no live lease. One that begins further in the future than its length counts
 * as expired: the clock was set back since, and its holder would have renewed it.
 */
export const LEASE_IS_OVER: string = `(lease_holder IS NULL OR lease_expires_at <= ${NOW}
  OR (lease_since < lease_expires_at AND lease_since - ${NOW} > lease_expires_at - lease_since))`;

/**
 * SQL for whether the time has come at which a session wakes. One that is later than a change that lies in
 * the future counts as come: the clock was set back since, and the session would sleep too long.
 */
export const WAKE_IS_DUE: string = `(wake_at <= ${NOW} OR (updated_at > ${NOW} AND wake_at > updated_at))`;

/** Returns a session's row, with the current time as `now`; `undefined` if there is no such session. */
export function rowOf(db: SqliteDatabase, id: string): Row | undefined {
  return db.run(`SELECT *, ${NOW} AS now FROM agent_sessions WHERE id = ?`, [id])[0];
}

/** Converts a row to a session. */
export function toSession(row: Row): Session {
  return {
    id: String(row.id),
    userId: String(row.user_id),
    agent: String(row.agent),
    status: row.status as SessionStatus,
    createdAt: isoOf(row.created_at),
    updatedAt: isoOf(row.updated_at),
    lastSeq: Number(row.last_sequence),
    openRun: row.open_run === null ? null : String(row.open_run),
    pending: Number(row.pending),
    wakeAt: row.wake_at === null ? null : isoOf(row.wake_at),
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

/** Converts a row to an event. Reads the rest of its payload if that is in several parts. */
export function toEvent(db: SqliteDatabase, row: Row): StoredEvent {
  const event: Record<string, Json> = {
    sessionId: String(row.session_id),
    seq: Number(row.sequence_number),
    v: Number(row.version),
    at: isoOf(row.timestamp),
    type: String(row.event_type),
  };
  if (row.event_key !== null) event.key = String(row.event_key);
  if (row.duration_ms !== null) event.durationMs = Number(row.duration_ms);
  event.data = JSON.parse(Number(row.parts) === 1 ? String(row.data) : wholeData(db, row)) as Json;
  return event as unknown as StoredEvent;
}

function wholeData(db: SqliteDatabase, { session_id, sequence_number, data }: Row): string {
  const rest = db.run(
    "SELECT data FROM agent_session_event_parts WHERE session_id = ? AND sequence_number = ? ORDER BY part",
    [String(session_id), Number(sequence_number)],
  );
  return joined([data, ...rest.map((row) => row.data)]);
}

/** Converts ISO 8601 to milliseconds since 1970. @throws PawlError `invalid_input` if it is not a time */
export function timeOf(field: string, text: string): number {
  const ms = Date.parse(text);
  if (Number.isNaN(ms)) {
    const given = JSON.stringify(String(text).slice(0, 100));
    throw new PawlError(
      "invalid_input",
      `\`${field}\` must be a time in ISO 8601, e.g. "2026-11-28T10:00:00Z"; got ${given}.`,
    );
  }
  return ms;
}

/** Converts milliseconds since 1970 to ISO 8601. */
export function isoOf(ms: unknown): string {
  return new Date(Number(ms)).toISOString();
}
