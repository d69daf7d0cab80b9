DO $pawl_migration$ BEGIN
PERFORM pg_advisory_xact_lock(7231950);
CREATE TABLE IF NOT EXISTS pawl_migrations (
  version integer PRIMARY KEY, name text NOT NULL, applied_at timestamptz NOT NULL DEFAULT now());
IF NOT EXISTS (SELECT FROM pawl_migrations WHERE version = 10) THEN


EXECUTE format($pawl_function$
CREATE OR REPLACE FUNCTION pawl_store_events(
  p_session_id text, p_append_id text, p_version integer, p_size integer, p_heads text, p_payloads text,
  p_lease_epoch integer, p_lease_holder text, p_after_seq integer, p_release boolean, p_changes text
) RETURNS text LANGUAGE plpgsql AS $pawl$
DECLARE
  p_patch json := p_changes;
  done text;
BEGIN
  IF p_patch IS NULL AND NOT p_release THEN
    WITH session AS (
      UPDATE %1$I.agent_sessions AS s SET
        last_sequence = s.last_sequence + p_size,
        updated_at = greatest(s.updated_at, clock_timestamp())
      WHERE s.id = p_session_id
        AND (p_lease_epoch IS NULL OR (s.lease_epoch = p_lease_epoch AND s.lease_holder = p_lease_holder))
        AND (p_after_seq IS NULL OR s.last_sequence = p_after_seq)
      RETURNING s.last_sequence - p_size AS base, s.updated_at AS at
    ), stored AS (
      INSERT INTO %1$I.agent_session_events (id, session_id, sequence_number, event_type, version, timestamp, duration_ms, event_key, append_id,
      append_size, data)
      SELECT p_session_id || ':' || (session.base + e.n)::text, p_session_id, session.base + e.n, e.type, p_version,
        session.at, e.duration_ms, e.key, CASE WHEN e.n = 1 THEN p_append_id END,
        CASE WHEN e.n = 1 THEN p_size END, e.data
      FROM session, ROWS FROM (
        json_to_recordset(p_heads::json) AS (type text, key text, duration_ms float8),
        json_array_elements(p_payloads::json)
      ) WITH ORDINALITY AS e (type, key, duration_ms, data, n)
    )
    SELECT session.base || ' ' || to_char(session.at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') INTO done FROM session;
  ELSE
    IF p_patch ->> 'status' NOT IN ('active', 'suspended', 'completed', 'error', 'expired') THEN
      RAISE EXCEPTION 'There is no such status.' USING ERRCODE = 'check_violation';
    END IF;
    WITH session AS (
      UPDATE %1$I.agent_sessions AS s SET
        last_sequence = s.last_sequence + p_size,
        updated_at = greatest(s.updated_at, clock_timestamp()),
        status = CASE
          WHEN s.status = 'expired' THEN s.status
          WHEN p_patch ->> 'status' IS NULL
            THEN CASE WHEN s.status = 'suspended' AND (p_patch ->> 'wakes')::boolean THEN 'active' ELSE s.status END
          WHEN s.status = 'completed' AND p_patch ->> 'status' <> 'expired' AND p_patch ->> 'open_run' IS NULL
            THEN s.status
          WHEN p_patch ->> 'status' = 'suspended' AND (p_patch ->> 'waits_for')::integer <> s.pending + coalesce((p_patch ->> 'pending')::integer, 0) THEN 'active'
          ELSE p_patch ->> 'status' END,
        open_run = CASE WHEN (p_patch ->> 'sets_open_run')::boolean THEN p_patch ->> 'open_run' ELSE s.open_run END,
        pending = s.pending + coalesce((p_patch ->> 'pending')::integer, 0),
        input_tokens = s.input_tokens + coalesce((p_patch ->> 'input_tokens')::bigint, 0),
        output_tokens = s.output_tokens + coalesce((p_patch ->> 'output_tokens')::bigint, 0),
        cached_tokens = s.cached_tokens + coalesce((p_patch ->> 'cached_tokens')::bigint, 0),
        cache_write_tokens = s.cache_write_tokens + coalesce((p_patch ->> 'cache_write_tokens')::bigint, 0),
        cache_write_1h_tokens = s.cache_write_1h_tokens + coalesce((p_patch ->> 'cache_write_1h_tokens')::bigint, 0),
        total_tokens = s.input_tokens + s.output_tokens + s.cached_tokens + s.cache_write_tokens
          + coalesce((p_patch ->> 'input_tokens')::bigint, 0) + coalesce((p_patch ->> 'output_tokens')::bigint, 0)
          + coalesce((p_patch ->> 'cached_tokens')::bigint, 0) + coalesce((p_patch ->> 'cache_write_tokens')::bigint, 0),
        total_cost_cents = s.total_cost_cents + coalesce((p_patch ->> 'cost_cents')::float8, 0),
        context_start_sequence = coalesce((p_patch ->> 'context_start')::integer, s.context_start_sequence),
        metadata = CASE WHEN p_patch ->> 'metadata' IS NULL THEN s.metadata
          ELSE s.metadata || (p_patch -> 'metadata')::jsonb END,
        lease_holder = CASE WHEN p_release THEN NULL ELSE s.lease_holder END,
        lease_expires_at = CASE WHEN p_release THEN NULL ELSE s.lease_expires_at END
      WHERE s.id = p_session_id
        AND (p_lease_epoch IS NULL OR (s.lease_epoch = p_lease_epoch AND s.lease_holder = p_lease_holder))
        AND (p_after_seq IS NULL OR s.last_sequence = p_after_seq)
      RETURNING s.last_sequence - p_size AS base, s.updated_at AS at
    ), stored AS (
      INSERT INTO %1$I.agent_session_events (id, session_id, sequence_number, event_type, version, timestamp, duration_ms, event_key, append_id,
      append_size, data)
      SELECT p_session_id || ':' || (session.base + e.n)::text, p_session_id, session.base + e.n, e.type, p_version,
        session.at, e.duration_ms, e.key, CASE WHEN e.n = 1 THEN p_append_id END,
        CASE WHEN e.n = 1 THEN p_size END, e.data
      FROM session, ROWS FROM (
        json_to_recordset(p_heads::json) AS (type text, key text, duration_ms float8),
        json_array_elements(p_payloads::json)
      ) WITH ORDINALITY AS e (type, key, duration_ms, data, n)
    )
    SELECT session.base || ' ' || to_char(session.at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') INTO done FROM session;
  END IF;
  RETURN done;
END $pawl$$pawl_function$, current_schema());

CREATE OR REPLACE FUNCTION pawl_rpc_recoverable(p_limit integer, p_agents text)
RETURNS json LANGUAGE plpgsql STABLE AS $pawl$
BEGIN
  RETURN json_build_object('sessions', (
    SELECT coalesce(json_agg(json_build_object('id', s.id, 'user_id', s.user_id, 'agent', s.agent, 'status', s.status,
    'created', date_part('epoch', s.created_at), 'updated', date_part('epoch', s.updated_at),
    'last_sequence', s.last_sequence, 'open_run', s.open_run, 'pending', s.pending,
    'context_start_sequence', s.context_start_sequence, 'input_tokens', s.input_tokens,
    'output_tokens', s.output_tokens, 'cached_tokens', s.cached_tokens,
    'cache_write_tokens', s.cache_write_tokens, 'cache_write_1h_tokens', s.cache_write_1h_tokens,
    'total_cost_cents', s.total_cost_cents, 'metadata', s.metadata) ORDER BY s.updated_at, s.id), '[]')
    FROM (
      SELECT * FROM agent_sessions
      WHERE open_run IS NOT NULL AND (status <> 'suspended' OR pending <= 0)
        AND (p_agents IS NULL OR agent IN (SELECT json_array_elements_text(p_agents::json)))
        AND (lease_holder IS NULL OR lease_expires_at <= clock_timestamp())
      ORDER BY updated_at, id LIMIT p_limit
    ) s));
END $pawl$;

BEGIN
  EXECUTE format('ALTER FUNCTION pawl_rpc_recoverable(integer, text) SET search_path = %I, pg_temp', current_schema());
END;

UPDATE agent_sessions s SET status = 'active'
WHERE s.status = 'suspended' AND s.open_run IS NOT NULL AND s.pending < (
  SELECT json_array_length(e.data -> 'pending') FROM agent_session_events e
  WHERE e.session_id = s.id AND e.event_type = 'run_suspended'
  ORDER BY e.sequence_number DESC LIMIT 1);

INSERT INTO pawl_migrations (version, name) VALUES (10, 'suspended');
END IF;
END $pawl_migration$;
