DO $pawl_migration$ BEGIN
PERFORM pg_advisory_xact_lock(7231950);
CREATE TABLE IF NOT EXISTS pawl_migrations (
  version integer PRIMARY KEY, name text NOT NULL, applied_at timestamptz NOT NULL DEFAULT now());
IF NOT EXISTS (SELECT FROM pawl_migrations WHERE version = 11) THEN

ALTER TABLE agent_sessions ADD COLUMN IF NOT EXISTS wake_at timestamptz;

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
        wake_at = CASE
          WHEN (p_patch ->> 'sets_wake_at')::boolean THEN (p_patch ->> 'wake_at')::timestamptz
          WHEN (p_patch ->> 'wakes')::boolean OR p_patch ->> 'status' <> 'suspended' THEN NULL
          ELSE s.wake_at END,
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


CREATE OR REPLACE FUNCTION pawl_rpc_create_session(p_id text, p_user_id text, p_agent text, p_metadata text)
RETURNS json LANGUAGE plpgsql AS $pawl$
DECLARE
  made json;
BEGIN
  INSERT INTO agent_sessions AS s (id, user_id, agent, metadata, created_at, updated_at)
  SELECT p_id, p_user_id, p_agent, p_metadata::jsonb, now, now FROM clock_timestamp() AS now
  ON CONFLICT (id) DO NOTHING RETURNING json_build_object('id', s.id, 'user_id', s.user_id, 'agent', s.agent, 'status', s.status,
    'created', date_part('epoch', s.created_at), 'updated', date_part('epoch', s.updated_at),
    'last_sequence', s.last_sequence, 'open_run', s.open_run, 'pending', s.pending,
    'context_start_sequence', s.context_start_sequence, 'input_tokens', s.input_tokens,
    'output_tokens', s.output_tokens, 'cached_tokens', s.cached_tokens,
    'cache_write_tokens', s.cache_write_tokens, 'cache_write_1h_tokens', s.cache_write_1h_tokens,
    'total_cost_cents', s.total_cost_cents, 'metadata', s.metadata, 'wake_at', date_part('epoch', s.wake_at)) INTO made;
  RETURN json_build_object('session', made);
END $pawl$;

CREATE OR REPLACE FUNCTION pawl_rpc_session(p_id text) RETURNS json LANGUAGE plpgsql STABLE AS $pawl$
BEGIN
  RETURN json_build_object('session', (SELECT json_build_object('id', s.id, 'user_id', s.user_id, 'agent', s.agent, 'status', s.status,
    'created', date_part('epoch', s.created_at), 'updated', date_part('epoch', s.updated_at),
    'last_sequence', s.last_sequence, 'open_run', s.open_run, 'pending', s.pending,
    'context_start_sequence', s.context_start_sequence, 'input_tokens', s.input_tokens,
    'output_tokens', s.output_tokens, 'cached_tokens', s.cached_tokens,
    'cache_write_tokens', s.cache_write_tokens, 'cache_write_1h_tokens', s.cache_write_1h_tokens,
    'total_cost_cents', s.total_cost_cents, 'metadata', s.metadata, 'wake_at', date_part('epoch', s.wake_at)) FROM agent_sessions s WHERE s.id = p_id));
END $pawl$;

CREATE OR REPLACE FUNCTION pawl_rpc_sessions(p_user_id text, p_agent text, p_status text, p_limit integer)
RETURNS json LANGUAGE plpgsql STABLE AS $pawl$
BEGIN
  RETURN json_build_object('sessions', (
    SELECT coalesce(json_agg(json_build_object('id', s.id, 'user_id', s.user_id, 'agent', s.agent, 'status', s.status,
    'created', date_part('epoch', s.created_at), 'updated', date_part('epoch', s.updated_at),
    'last_sequence', s.last_sequence, 'open_run', s.open_run, 'pending', s.pending,
    'context_start_sequence', s.context_start_sequence, 'input_tokens', s.input_tokens,
    'output_tokens', s.output_tokens, 'cached_tokens', s.cached_tokens,
    'cache_write_tokens', s.cache_write_tokens, 'cache_write_1h_tokens', s.cache_write_1h_tokens,
    'total_cost_cents', s.total_cost_cents, 'metadata', s.metadata, 'wake_at', date_part('epoch', s.wake_at)) ORDER BY s.created_at DESC, s.id), '[]')
    FROM (
      SELECT id, user_id, agent, status, created_at, updated_at, context_start_sequence, last_sequence, open_run,
    pending, input_tokens, output_tokens, cached_tokens, cache_write_tokens, cache_write_1h_tokens, total_tokens,
    total_cost_cents, metadata, wake_at FROM agent_sessions
      WHERE user_id = p_user_id AND (p_agent IS NULL OR agent = p_agent)
        AND (p_status IS NULL OR status IN (SELECT json_array_elements_text(p_status::json)))
      ORDER BY created_at DESC, id LIMIT p_limit
    ) s));
END $pawl$;

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
    'total_cost_cents', s.total_cost_cents, 'metadata', s.metadata, 'wake_at', date_part('epoch', s.wake_at)) ORDER BY s.updated_at, s.id), '[]')
    FROM (
      SELECT * FROM agent_sessions
      WHERE open_run IS NOT NULL
        AND CASE WHEN wake_at IS NULL THEN status <> 'suspended' OR pending <= 0 ELSE wake_at <= clock_timestamp() END
        AND (p_agents IS NULL OR agent IN (SELECT json_array_elements_text(p_agents::json)))
        AND (lease_holder IS NULL OR lease_expires_at <= clock_timestamp())
      ORDER BY updated_at, id LIMIT p_limit
    ) s));
END $pawl$;

CREATE OR REPLACE FUNCTION pawl_grant_users(p_role name) RETURNS void LANGUAGE plpgsql AS $pawl$
BEGIN
  EXECUTE format('GRANT USAGE ON SCHEMA %I TO %I', current_schema(), p_role);
  EXECUTE format('REVOKE ALL ON pawl_migrations, agent_sessions, agent_session_events, agent_session_blobs,
    agent_session_summaries, agent_daily_metrics, agent_reservations, agent_session_live FROM %I', p_role);
  EXECUTE format('GRANT SELECT ON agent_session_blobs, agent_session_summaries, agent_daily_metrics TO %I', p_role);
  EXECUTE format('GRANT SELECT (id, user_id, agent, status, created_at, updated_at, context_start_sequence, last_sequence, open_run,
    pending, input_tokens, output_tokens, cached_tokens, cache_write_tokens, cache_write_1h_tokens, total_tokens,
    total_cost_cents, metadata, wake_at) ON agent_sessions TO %I', p_role);
  EXECUTE format('GRANT SELECT (id, session_id, sequence_number, event_type, version, timestamp, duration_ms, event_key, data) ON agent_session_events TO %I', p_role);
  EXECUTE format('GRANT EXECUTE ON FUNCTION pawl_user_id(), pawl_send_message(text, text, json, text),
    pawl_answer(text, text, integer, json) TO %I', p_role);
END $pawl$;

DECLARE
  one regprocedure;
  given name;
BEGIN
  -- Replacing a function drops its settings.
  FOR one IN SELECT p.oid FROM pg_proc p WHERE p.pronamespace = current_schema()::regnamespace AND p.proname IN (
    'pawl_rpc_create_session', 'pawl_rpc_session', 'pawl_rpc_sessions', 'pawl_rpc_recoverable',
    'pawl_grant_users') LOOP
    EXECUTE format('ALTER FUNCTION %s SET search_path = %I, pg_temp', one, current_schema());
  END LOOP;
  FOR given IN SELECT DISTINCT r.rolname FROM pg_attribute c, aclexplode(c.attacl) a, pg_roles r
    WHERE c.attrelid = 'agent_sessions'::regclass AND c.attname = 'last_sequence'
      AND a.privilege_type = 'SELECT' AND r.oid = a.grantee LOOP
    EXECUTE format('GRANT SELECT (wake_at) ON agent_sessions TO %I', given);
  END LOOP;
END;

INSERT INTO pawl_migrations (version, name) VALUES (11, 'wake');
END IF;
END $pawl_migration$;

NOTIFY pgrst, 'reload schema';
