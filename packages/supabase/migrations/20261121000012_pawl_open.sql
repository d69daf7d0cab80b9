DO $pawl_migration$ BEGIN
PERFORM pg_advisory_xact_lock(7231950);
CREATE TABLE IF NOT EXISTS pawl_migrations (
  version integer PRIMARY KEY, name text NOT NULL, applied_at timestamptz NOT NULL DEFAULT now());
IF NOT EXISTS (SELECT FROM pawl_migrations WHERE version = 12) THEN

CREATE FUNCTION pawl_open(p_id text, p_user_id text, p_agent text, p_metadata text, p_holder text, p_ttl_ms float8,
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
    lease_expires_at = clock_timestamp() + p_ttl_ms * interval '1 millisecond'
  WHERE id = p_id AND user_id = p_user_id AND agent = p_agent AND status <> 'expired'
    AND (lease_holder IS NULL OR lease_holder = p_holder OR lease_expires_at <= clock_timestamp())
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

CREATE FUNCTION pawl_rpc_open(p_id text, p_user_id text, p_agent text, p_metadata text, p_holder text,
  p_ttl_ms float8, p_after_seq integer) RETURNS json LANGUAGE plpgsql AS $pawl$
BEGIN
  RETURN pawl_open(p_id, p_user_id, p_agent, p_metadata, p_holder, p_ttl_ms, p_after_seq);
END $pawl$;

CREATE OR REPLACE FUNCTION pawl_grant_service(p_role name) RETURNS void LANGUAGE plpgsql AS $pawl$
BEGIN
  PERFORM pawl_grant_log(p_role);
  EXECUTE format('DROP POLICY IF EXISTS %I ON agent_session_live', 'agent_session_live_of_' || p_role);
  EXECUTE format('CREATE POLICY %I ON agent_session_live TO %I USING (true) WITH CHECK (true)',
    'agent_session_live_of_' || p_role, p_role);
  EXECUTE format('GRANT SELECT, INSERT, UPDATE, DELETE ON agent_session_live TO %I', p_role);
  EXECUTE format('GRANT EXECUTE ON FUNCTION pawl_open(text, text, text, text, text, double precision, integer) TO %I', p_role);
END $pawl$;

CREATE OR REPLACE FUNCTION pawl_grant_rpc_service(p_role name) RETURNS void LANGUAGE plpgsql AS $pawl$
BEGIN
  PERFORM pawl_grant_rpc(p_role, ARRAY['pawl_user_id', 'pawl_rpc_explain', 'pawl_rpc_events', 'pawl_rpc_session', 'pawl_rpc_sessions', 'pawl_rpc_recoverable', 'pawl_rpc_get_blob', 'pawl_rpc_append', 'pawl_rpc_create_session', 'pawl_rpc_acquire', 'pawl_rpc_renew', 'pawl_rpc_release', 'pawl_rpc_put_blob', 'pawl_rpc_open']);
END $pawl$;

DECLARE
  one regprocedure;
  given name;
BEGIN
  FOREACH one IN ARRAY ARRAY['pawl_open(text, text, text, text, text, double precision, integer)', 'pawl_rpc_open(text, text, text, text, text, double precision, integer)']::regprocedure[] LOOP
    EXECUTE format('REVOKE EXECUTE ON FUNCTION %s FROM PUBLIC', one);
    FOR given IN SELECT r.rolname FROM pg_proc p, aclexplode(p.proacl) a, pg_roles r
      WHERE p.oid = one AND a.grantee <> p.proowner AND r.oid = a.grantee LOOP
      EXECUTE format('REVOKE ALL ON FUNCTION %s FROM %I', one, given);
    END LOOP;
  END LOOP;
  -- Replacing a function drops its settings.
  FOR one IN SELECT p.oid FROM pg_proc p WHERE p.pronamespace = current_schema()::regnamespace AND p.proname IN (
    'pawl_open', 'pawl_rpc_open', 'pawl_grant_service', 'pawl_grant_rpc_service') LOOP
    EXECUTE format('ALTER FUNCTION %s SET search_path = %I, pg_temp', one, current_schema());
  END LOOP;
  -- Who may append, may open.
  FOR one, given IN SELECT CASE p.proname WHEN 'pawl_store_events' THEN 'pawl_open(text, text, text, text, text, double precision, integer)'::regprocedure
        ELSE 'pawl_rpc_open(text, text, text, text, text, double precision, integer)'::regprocedure END, r.rolname
      FROM pg_proc p, aclexplode(p.proacl) a, pg_roles r
      WHERE p.pronamespace = current_schema()::regnamespace AND p.proname IN ('pawl_store_events', 'pawl_rpc_append')
        AND a.privilege_type = 'EXECUTE' AND a.grantee <> p.proowner AND r.oid = a.grantee LOOP
    EXECUTE format('GRANT EXECUTE ON FUNCTION %s TO %I', one, given);
  END LOOP;
END;

INSERT INTO pawl_migrations (version, name) VALUES (12, 'open');
END IF;
END $pawl_migration$;

NOTIFY pgrst, 'reload schema';
