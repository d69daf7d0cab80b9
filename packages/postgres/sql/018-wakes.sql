DO $pawl_migration$ BEGIN
PERFORM pg_advisory_xact_lock(7231950);
CREATE TABLE IF NOT EXISTS pawl_migrations (
  version integer PRIMARY KEY, name text NOT NULL, applied_at timestamptz NOT NULL DEFAULT now());
IF NOT EXISTS (SELECT FROM pawl_migrations WHERE version = 18) THEN

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
        AND CASE WHEN wake_at IS NULL THEN status <> 'suspended' OR pending <= 0 ELSE (wake_at <= clock_timestamp() OR (updated_at > clock_timestamp() AND wake_at > updated_at)) END
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
        AND CASE WHEN wake_at IS NULL THEN status <> 'suspended' OR pending <= 0 ELSE (wake_at <= clock_timestamp() OR (updated_at > clock_timestamp() AND wake_at > updated_at)) END
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
  FOR one IN SELECT p.oid FROM pg_proc p WHERE p.pronamespace = current_schema()::regnamespace
    AND p.proname IN ('pawl_rpc_recoverable', 'pawl_rpc_recoverable_after') LOOP
    EXECUTE format('ALTER FUNCTION %s SET search_path = %I, pg_temp', one, current_schema());
  END LOOP;
END;

INSERT INTO pawl_migrations (version, name) VALUES (18, 'wakes');
END IF;
END $pawl_migration$;
