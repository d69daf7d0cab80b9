import { type AppendOptions, EVENT_VERSION, jsonbText, jsonText, type NewEvent } from "@pawl/core";
import { iso } from "./rows.ts";

/**
 * The whole append as one statement. The update of the session's row is the lock, the counter and the check in one:
 * who waits for it sees what the winner left. Without a row it was refused; a repeated append id or a taken key fails
 * on its unique index, which undoes the update too.
 */
export const appendStatement: string = `
WITH session AS (
  UPDATE agent_sessions SET
    last_sequence = last_sequence + $4::int,
    updated_at = greatest(updated_at, clock_timestamp()),
    status = coalesce($11::text, status),
    open_run = CASE WHEN $12::boolean THEN $13::text ELSE open_run END,
    pending = pending + $14::int,
    input_tokens = input_tokens + $15::bigint,
    output_tokens = output_tokens + $16::bigint,
    cached_tokens = cached_tokens + $17::bigint,
    cache_write_tokens = cache_write_tokens + $18::bigint,
    cache_write_1h_tokens = cache_write_1h_tokens + $19::bigint,
    total_cost_cents = total_cost_cents + $20::float8,
    context_start_sequence = coalesce($22::int, context_start_sequence),
    metadata = CASE WHEN $21::text IS NULL THEN metadata ELSE metadata || $21::text::jsonb END,
    lease_holder = CASE WHEN $10::boolean THEN NULL ELSE lease_holder END,
    lease_expires_at = CASE WHEN $10::boolean THEN NULL ELSE lease_expires_at END
  WHERE id = $1::text
    AND ($7::int IS NULL OR (lease_epoch = $7::int AND lease_holder = $8::text))
    AND ($9::int IS NULL OR last_sequence = $9::int)
  RETURNING id, last_sequence - $4::int AS base, updated_at
), stored AS (
  INSERT INTO agent_session_events (session_id, sequence_number, event_type, version, timestamp,
    duration_ms, event_key, append_id, append_size, data)
  SELECT session.id, session.base + e.n, e.type, $6::smallint, session.updated_at, e.duration_ms, e.key,
    CASE WHEN e.n = 1 THEN $5::text END, CASE WHEN e.n = 1 THEN $4::int END, e.data
  FROM session, ROWS FROM (
    json_to_recordset($2::text::json) AS (type text, key text, duration_ms float8),
    json_array_elements($3::text::json)
  ) WITH ORDINALITY AS e (type, key, duration_ms, data, n)
)
SELECT base, ${iso("updated_at")} AS at FROM session`;

/** An append made ready: checked, and its payloads as text, so that nobody can change them any more. */
export interface PreparedAppend {
  sessionId: string;
  events: readonly { type: string; key?: string; duration_ms?: number }[];
  payloads: readonly string[];
  values: unknown[];
}

/** The values of {@link appendStatement}. */
export function prepareAppend(
  sessionId: string,
  newEvents: readonly NewEvent[],
  options: AppendOptions,
): PreparedAppend {
  const { appendId, lease, afterSeq, release = false, session = {} } = options;
  const { status, openRun, addPending = 0, addUsage, addCostCents = 0, contextStartSeq, metadata } = session;
  const payloads = newEvents.map((event) => jsonText(event.data));
  const events = newEvents.map(({ type, key, durationMs }) => ({
    type,
    ...(key === undefined ? {} : { key }),
    ...(durationMs === undefined ? {} : { duration_ms: durationMs }),
  }));
  const values = [
    sessionId,
    jsonText(events),
    `[${payloads.join(",")}]`,
    events.length,
    appendId,
    EVENT_VERSION,
    // An epoch that no lease ever has, for a lease of another session.
    lease === undefined ? null : lease.sessionId === sessionId ? lease.epoch : -1,
    lease?.holder ?? null,
    afterSeq ?? null,
    release,
    status ?? null,
    openRun !== undefined,
    openRun ?? null,
    addPending,
    Math.round(addUsage?.inputTokens ?? 0),
    Math.round(addUsage?.outputTokens ?? 0),
    Math.round(addUsage?.cacheReadTokens ?? 0),
    Math.round(addUsage?.cacheWriteTokens ?? 0),
    Math.round(addUsage?.cacheWrite1hTokens ?? 0),
    addCostCents,
    metadata === undefined ? null : jsonbText(metadata),
    contextStartSeq ?? null,
  ];
  return { sessionId, events, payloads, values };
}
