/**
 * A function that performs a whole append. The server caches the plan of a function under any driver and
 * pooler; planning the statement each time cost more than running it. It runs with the rights of its caller.
 *
 * The update of the session's row serves as lock, counter and check: a concurrent append waits for the
 * update, and then sees its result. A refused append returns no row. A repeated append id or a taken key
 * violates its unique index, which rolls the update back. `heads` (`type`, `key`, `duration_ms`) and
 * `payloads` are JSON arrays of the same length. They are separate because SQL must not parse a payload,
 * which may contain a NUL.
 */
export const appendFunction: string = `
CREATE FUNCTION pawl_append(
  p_session_id text, p_append_id text, p_version integer, p_size integer, p_heads json, p_payloads json,
  p_lease_epoch integer DEFAULT NULL, p_lease_holder text DEFAULT NULL, p_after_seq integer DEFAULT NULL,
  p_release boolean DEFAULT false, p_patch json DEFAULT NULL, OUT base integer, OUT at text
) RETURNS SETOF record LANGUAGE plpgsql AS $pawl$
DECLARE
  stamp timestamptz;
BEGIN
  IF p_patch IS NULL AND NOT p_release THEN
    UPDATE agent_sessions SET
      last_sequence = last_sequence + p_size,
      updated_at = greatest(updated_at, clock_timestamp())
    WHERE id = p_session_id
      AND (p_lease_epoch IS NULL OR (lease_epoch = p_lease_epoch AND lease_holder = p_lease_holder))
      AND (p_after_seq IS NULL OR last_sequence = p_after_seq)
    RETURNING last_sequence - p_size, updated_at INTO base, stamp;
  ELSE
    UPDATE agent_sessions SET
      last_sequence = last_sequence + p_size,
      updated_at = greatest(updated_at, clock_timestamp()),
      status = coalesce(p_patch ->> 'status', status),
      open_run = CASE WHEN (p_patch ->> 'sets_open_run')::boolean THEN p_patch ->> 'open_run' ELSE open_run END,
      pending = pending + coalesce((p_patch ->> 'pending')::integer, 0),
      input_tokens = input_tokens + coalesce((p_patch ->> 'input_tokens')::bigint, 0),
      output_tokens = output_tokens + coalesce((p_patch ->> 'output_tokens')::bigint, 0),
      cached_tokens = cached_tokens + coalesce((p_patch ->> 'cached_tokens')::bigint, 0),
      cache_write_tokens = cache_write_tokens + coalesce((p_patch ->> 'cache_write_tokens')::bigint, 0),
      cache_write_1h_tokens = cache_write_1h_tokens + coalesce((p_patch ->> 'cache_write_1h_tokens')::bigint, 0),
      total_cost_cents = total_cost_cents + coalesce((p_patch ->> 'cost_cents')::float8, 0),
      context_start_sequence = coalesce((p_patch ->> 'context_start')::integer, context_start_sequence),
      metadata = CASE WHEN p_patch ->> 'metadata' IS NULL THEN metadata
        ELSE metadata || (p_patch -> 'metadata')::jsonb END,
      lease_holder = CASE WHEN p_release THEN NULL ELSE lease_holder END,
      lease_expires_at = CASE WHEN p_release THEN NULL ELSE lease_expires_at END
    WHERE id = p_session_id
      AND (p_lease_epoch IS NULL OR (lease_epoch = p_lease_epoch AND lease_holder = p_lease_holder))
      AND (p_after_seq IS NULL OR last_sequence = p_after_seq)
    RETURNING last_sequence - p_size, updated_at INTO base, stamp;
  END IF;
  IF NOT FOUND THEN
    RETURN;
  END IF;
  INSERT INTO agent_session_events (session_id, sequence_number, event_type, version, timestamp,
    duration_ms, event_key, append_id, append_size, data)
  SELECT p_session_id, base + e.n, e.type, p_version, stamp, e.duration_ms, e.key,
    CASE WHEN e.n = 1 THEN p_append_id END, CASE WHEN e.n = 1 THEN p_size END, e.data
  FROM ROWS FROM (
    json_to_recordset(p_heads) AS (type text, key text, duration_ms float8),
    json_array_elements(p_payloads)
  ) WITH ORDINALITY AS e (type, key, duration_ms, data, n);
  at := to_char(stamp AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"');
  RETURN NEXT;
END $pawl$;
`;
