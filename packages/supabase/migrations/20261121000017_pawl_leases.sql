DO $pawl_migration$ BEGIN
PERFORM pg_advisory_xact_lock(7231950);
CREATE TABLE IF NOT EXISTS pawl_migrations (
  version integer PRIMARY KEY, name text NOT NULL, applied_at timestamptz NOT NULL DEFAULT now());
IF NOT EXISTS (SELECT FROM pawl_migrations WHERE version = 17) THEN

ALTER TABLE agent_sessions ADD COLUMN IF NOT EXISTS lease_since timestamptz;

CREATE OR REPLACE FUNCTION pawl_open(p_id text, p_user_id text, p_agent text, p_metadata text, p_holder text, p_ttl_ms float8,
  p_after_seq integer) RETURNS json LANGUAGE plpgsql AS $pawl$
DECLARE
  opened json;
  epoch integer;
  found_events json := '[]';
  one record;
  size bigint := 0;
  last integer;
BEGIN
  IF p_metadata IS NOT NULL THEN
    INSERT INTO agent_sessions (id, user_id, agent, metadata, created_at, updated_at)
    SELECT p_id, p_user_id, p_agent, p_metadata::jsonb, now, now FROM clock_timestamp() AS now
    ON CONFLICT (id) DO NOTHING;
  END IF;
  UPDATE agent_sessions AS s
  SET lease_holder = p_holder, lease_epoch = lease_epoch + 1,
    lease_expires_at = clock_timestamp() + p_ttl_ms * interval '1 millisecond', lease_since = clock_timestamp()
  WHERE id = p_id AND user_id = p_user_id AND agent = p_agent AND status <> 'expired'
    AND (lease_holder IS NULL OR lease_holder = p_holder OR lease_expires_at <= clock_timestamp() OR (lease_since < lease_expires_at AND lease_since - clock_timestamp() > lease_expires_at - lease_since))
  RETURNING lease_epoch, json_build_object('id', s.id, 'user_id', s.user_id, 'agent', s.agent, 'status', s.status,
    'created', date_part('epoch', s.created_at), 'updated', date_part('epoch', s.updated_at),
    'last_sequence', s.last_sequence, 'open_run', s.open_run, 'pending', s.pending,
    'wake_at', date_part('epoch', s.wake_at), 'context_start_sequence', s.context_start_sequence,
    'input_tokens', s.input_tokens, 'output_tokens', s.output_tokens, 'cached_tokens', s.cached_tokens,
    'cache_write_tokens', s.cache_write_tokens, 'cache_write_1h_tokens', s.cache_write_1h_tokens,
    'total_cost_cents', s.total_cost_cents, 'metadata', s.metadata) INTO epoch, opened;
  IF epoch IS NULL THEN
    SELECT json_build_object('id', s.id, 'user_id', s.user_id, 'agent', s.agent, 'status', s.status,
    'created', date_part('epoch', s.created_at), 'updated', date_part('epoch', s.updated_at),
    'last_sequence', s.last_sequence, 'open_run', s.open_run, 'pending', s.pending,
    'wake_at', date_part('epoch', s.wake_at), 'context_start_sequence', s.context_start_sequence,
    'input_tokens', s.input_tokens, 'output_tokens', s.output_tokens, 'cached_tokens', s.cached_tokens,
    'cache_write_tokens', s.cache_write_tokens, 'cache_write_1h_tokens', s.cache_write_1h_tokens,
    'total_cost_cents', s.total_cost_cents, 'metadata', s.metadata) INTO opened FROM agent_sessions s WHERE s.id = p_id AND s.user_id = p_user_id;
    RETURN json_build_object('session', opened, 'epoch', NULL, 'events', found_events);
  END IF;
  FOR one IN
    SELECT e.sequence_number AS seq, CASE WHEN pg_column_compression(e.data) IS NULL THEN pg_column_size(e.data)
      ELSE octet_length(e.data::text) END AS size
    FROM agent_session_events e
    WHERE e.session_id = p_id AND e.sequence_number > p_after_seq
    ORDER BY e.sequence_number LIMIT 250
  LOOP
    size := size + one.size;
    last := one.seq;
    EXIT WHEN size > 2000000;
  END LOOP;
  IF last IS NOT NULL THEN
    SELECT json_agg(x) INTO found_events FROM (
      SELECT e.sequence_number AS seq, e.version, date_part('epoch', e.timestamp) AS at, e.event_type AS type,
        e.event_key AS key, e.duration_ms, e.data::text AS data
      FROM agent_session_events e
      WHERE e.session_id = p_id AND e.sequence_number > p_after_seq AND e.sequence_number <= last
      ORDER BY e.sequence_number
    ) x;
  END IF;
  RETURN json_build_object('session', opened, 'epoch', epoch, 'events', found_events);
END $pawl$;

CREATE OR REPLACE FUNCTION pawl_rpc_acquire(p_session_id text, p_holder text, p_ttl_ms float8)
RETURNS json LANGUAGE plpgsql AS $pawl$
DECLARE
  epoch integer;
BEGIN
  UPDATE agent_sessions
  SET lease_holder = p_holder, lease_epoch = lease_epoch + 1,
    lease_expires_at = clock_timestamp() + p_ttl_ms * interval '1 millisecond', lease_since = clock_timestamp()
  WHERE id = p_session_id
    AND (lease_holder IS NULL OR lease_holder = p_holder OR lease_expires_at <= clock_timestamp() OR (lease_since < lease_expires_at AND lease_since - clock_timestamp() > lease_expires_at - lease_since))
  RETURNING lease_epoch INTO epoch;
  RETURN json_build_object('epoch', epoch, 'at', date_part('epoch', clock_timestamp()),
    'known', epoch IS NOT NULL OR EXISTS (SELECT FROM agent_sessions WHERE id = p_session_id));
END $pawl$;

CREATE OR REPLACE FUNCTION pawl_rpc_renew(p_session_id text, p_holder text, p_epoch integer, p_ttl_ms float8)
RETURNS json LANGUAGE plpgsql AS $pawl$
BEGIN
  UPDATE agent_sessions
  SET lease_expires_at = clock_timestamp() + p_ttl_ms * interval '1 millisecond', lease_since = clock_timestamp()
  WHERE id = p_session_id AND lease_holder = p_holder AND lease_epoch = p_epoch;
  RETURN json_build_object('renewed', FOUND);
END $pawl$;


CREATE OR REPLACE FUNCTION pawl_rpc_recoverable(p_limit integer, p_agents text) RETURNS json LANGUAGE plpgsql STABLE AS $pawl$
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
      SELECT * FROM agent_sessions s
      WHERE open_run IS NOT NULL
        AND CASE WHEN wake_at IS NULL THEN status <> 'suspended' OR pending <= 0 ELSE wake_at <= clock_timestamp() END
        AND (p_agents IS NULL OR agent IN (SELECT json_array_elements_text(p_agents::json)))
        AND (lease_holder IS NULL OR lease_expires_at <= clock_timestamp() OR (lease_since < lease_expires_at AND lease_since - clock_timestamp() > lease_expires_at - lease_since))
      ORDER BY s.updated_at, s.id LIMIT p_limit
    ) s));
END $pawl$;


CREATE OR REPLACE FUNCTION pawl_rpc_recoverable_after(p_limit integer, p_agents text, p_after text) RETURNS json LANGUAGE plpgsql STABLE AS $pawl$
BEGIN
  RETURN json_build_object('sessions', (
    SELECT coalesce(json_agg(json_build_object('id', s.id, 'user_id', s.user_id, 'agent', s.agent, 'status', s.status,
    'created', date_part('epoch', s.created_at), 'updated', date_part('epoch', s.updated_at),
    'last_sequence', s.last_sequence, 'open_run', s.open_run, 'pending', s.pending,
    'context_start_sequence', s.context_start_sequence, 'input_tokens', s.input_tokens,
    'output_tokens', s.output_tokens, 'cached_tokens', s.cached_tokens,
    'cache_write_tokens', s.cache_write_tokens, 'cache_write_1h_tokens', s.cache_write_1h_tokens,
    'total_cost_cents', s.total_cost_cents, 'metadata', s.metadata, 'wake_at', date_part('epoch', s.wake_at)) ORDER BY s.id), '[]')
    FROM (
      SELECT * FROM agent_sessions s
      WHERE open_run IS NOT NULL
        AND CASE WHEN wake_at IS NULL THEN status <> 'suspended' OR pending <= 0 ELSE wake_at <= clock_timestamp() END
        AND (p_agents IS NULL OR agent IN (SELECT json_array_elements_text(p_agents::json)))
        AND (lease_holder IS NULL OR lease_expires_at <= clock_timestamp() OR (lease_since < lease_expires_at AND lease_since - clock_timestamp() > lease_expires_at - lease_since))
        AND id > p_after
      ORDER BY s.id LIMIT p_limit
    ) s));
END $pawl$;

DECLARE
  one regprocedure;
BEGIN
  -- Replacing a function drops its settings.
  FOR one IN SELECT p.oid FROM pg_proc p WHERE p.pronamespace = current_schema()::regnamespace AND p.proname IN (
    'pawl_open', 'pawl_rpc_acquire', 'pawl_rpc_renew', 'pawl_rpc_recoverable', 'pawl_rpc_recoverable_after') LOOP
    EXECUTE format('ALTER FUNCTION %s SET search_path = %I, pg_temp', one, current_schema());
  END LOOP;
END;

INSERT INTO pawl_migrations (version, name) VALUES (17, 'leases');
END IF;
END $pawl_migration$;

NOTIFY pgrst, 'reload schema';
