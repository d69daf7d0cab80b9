DO $pawl_migration$ BEGIN
PERFORM pg_advisory_xact_lock(7231950);
CREATE TABLE IF NOT EXISTS pawl_migrations (
  version integer PRIMARY KEY, name text NOT NULL, applied_at timestamptz NOT NULL DEFAULT now());
IF NOT EXISTS (SELECT FROM pawl_migrations WHERE version = 16) THEN

CREATE FUNCTION pawl_rpc_recoverable_after(p_limit integer, p_agents text, p_after text)
RETURNS json LANGUAGE plpgsql STABLE AS $pawl$
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
      SELECT * FROM agent_sessions
      WHERE open_run IS NOT NULL
        AND CASE WHEN wake_at IS NULL THEN status <> 'suspended' OR pending <= 0 ELSE wake_at <= clock_timestamp() END
        AND (p_agents IS NULL OR agent IN (SELECT json_array_elements_text(p_agents::json)))
        AND (lease_holder IS NULL OR lease_expires_at <= clock_timestamp())
        AND id > p_after
      ORDER BY id LIMIT p_limit
    ) s));
END $pawl$;

CREATE OR REPLACE FUNCTION pawl_grant_rpc_service(p_role name) RETURNS void LANGUAGE plpgsql AS $pawl$
BEGIN
  PERFORM pawl_grant_rpc(p_role, ARRAY['pawl_user_id', 'pawl_rpc_explain', 'pawl_rpc_events', 'pawl_rpc_session', 'pawl_rpc_sessions', 'pawl_rpc_recoverable', 'pawl_rpc_get_blob', 'pawl_rpc_append', 'pawl_rpc_create_session', 'pawl_rpc_acquire', 'pawl_rpc_renew', 'pawl_rpc_release', 'pawl_rpc_put_blob', 'pawl_rpc_open', 'pawl_rpc_open_session',
    'pawl_rpc_save_snapshot', 'pawl_rpc_recoverable_after']);
END $pawl$;

DECLARE
  one regprocedure;
  given name;
BEGIN
  REVOKE EXECUTE ON FUNCTION pawl_rpc_recoverable_after(integer, text, text) FROM PUBLIC;
  FOR given IN SELECT r.rolname FROM pg_proc p, aclexplode(p.proacl) a, pg_roles r
    WHERE p.oid = 'pawl_rpc_recoverable_after(integer, text, text)'::regprocedure AND a.grantee <> p.proowner AND r.oid = a.grantee LOOP
    EXECUTE format('REVOKE ALL ON FUNCTION pawl_rpc_recoverable_after(integer, text, text) FROM %I', given);
  END LOOP;
  -- Replacing a function drops its settings.
  FOR one IN SELECT p.oid FROM pg_proc p WHERE p.pronamespace = current_schema()::regnamespace
    AND p.proname IN ('pawl_rpc_recoverable_after', 'pawl_grant_rpc_service') LOOP
    EXECUTE format('ALTER FUNCTION %s SET search_path = %I, pg_temp', one, current_schema());
  END LOOP;
  FOR given IN SELECT r.rolname FROM pg_proc p, aclexplode(p.proacl) a, pg_roles r
    WHERE p.pronamespace = current_schema()::regnamespace AND p.proname = 'pawl_rpc_append'
      AND a.privilege_type = 'EXECUTE' AND a.grantee <> p.proowner AND r.oid = a.grantee LOOP
    EXECUTE format('GRANT EXECUTE ON FUNCTION pawl_rpc_recoverable_after(integer, text, text) TO %I', given);
  END LOOP;
END;

INSERT INTO pawl_migrations (version, name) VALUES (16, 'pages');
END IF;
END $pawl_migration$;

NOTIFY pgrst, 'reload schema';
