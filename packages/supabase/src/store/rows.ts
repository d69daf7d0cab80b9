import {
  type Json,
  type JsonObject,
  PawlError,
  type Session,
  type SessionStatus,
  type StoredEvent,
  usdFromCents,
} from "@pawl/core";
import { MIGRATE, type Row } from "../rpc/rpc.ts";

/** Converts a session's row, as Pawl's functions return it. */
export function toSession(row: Row): Session {
  return {
    id: String(row.id),
    userId: String(row.user_id),
    agent: String(row.agent),
    status: row.status as SessionStatus,
    createdAt: isoOf(row.created),
    updatedAt: isoOf(row.updated),
    lastSeq: Number(row.last_sequence),
    openRun: row.open_run === null ? null : String(row.open_run),
    pending: Number(row.pending),
    // `undefined` before migration 11.
    wakeAt: row.wake_at == null ? null : isoOf(row.wake_at),
    contextStartSeq: Number(row.context_start_sequence),
    usage: {
      inputTokens: Number(row.input_tokens),
      outputTokens: Number(row.output_tokens),
      cacheReadTokens: Number(row.cached_tokens),
      cacheWriteTokens: Number(row.cache_write_tokens),
      cacheWrite1hTokens: Number(row.cache_write_1h_tokens),
    },
    costUsd: usdFromCents(Number(row.total_cost_cents)),
    metadata: row.metadata as JsonObject,
  };
}

/** Converts an event's row, as Pawl's functions return it. */
export function toEvent(sessionId: string, row: Row): StoredEvent {
  const event: Record<string, Json> = {
    sessionId,
    seq: Number(row.seq),
    v: Number(row.version),
    at: isoOf(row.at),
    type: String(row.type),
  };
  if (row.key !== null) event.key = String(row.key);
  if (row.duration_ms !== null) event.durationMs = Number(row.duration_ms);
  event.data = JSON.parse(String(row.data)) as Json;
  return event as unknown as StoredEvent;
}

/** Returns when a lease was acquired. @throws PawlError `store_unavailable` before migration 14 */
export function acquiredAt(seconds: unknown): string {
  if (seconds === undefined) throw new PawlError("store_unavailable", MIGRATE);
  return isoOf(seconds);
}

/**
 * Converts seconds since 1970 to ISO 8601 in UTC, cut to milliseconds. `seconds` is exact to the microsecond.
 */
function isoOf(seconds: unknown): string {
  return new Date(Math.floor(Math.round(Number(seconds) * 1e6) / 1_000)).toISOString();
}
