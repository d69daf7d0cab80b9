DO $pawl_migration$ BEGIN
PERFORM pg_advisory_xact_lock(7231950);
CREATE TABLE IF NOT EXISTS pawl_migrations (
  version integer PRIMARY KEY, name text NOT NULL, applied_at timestamptz NOT NULL DEFAULT now());
IF NOT EXISTS (SELECT FROM pawl_migrations WHERE version = 13) THEN

CREATE TABLE agent_session_snapshots (
  session_id text COLLATE "C" PRIMARY KEY REFERENCES agent_sessions (id) ON DELETE CASCADE,
  version text COLLATE "C" NOT NULL,
  sequence_number integer NOT NULL,
  state text NOT NULL,
  stored_at timestamptz NOT NULL DEFAULT clock_timestamp()
);
ALTER TABLE agent_session_snapshots ALTER COLUMN state SET STORAGE EXTERNAL;
ALTER TABLE agent_session_snapshots ENABLE ROW LEVEL SECURITY;

EXECUTE format($pawl_function$
CREATE OR REPLACE FUNCTION pawl_store_event(
  p_session_id text, p_append_id text, p_version integer, p_type text, p_key text, p_duration_ms float8, p_data text,
  p_lease_epoch integer, p_lease_holder text, p_after_seq integer
) RETURNS text LANGUAGE plpgsql AS $pawl$
DECLARE
  done text;
BEGIN
  WITH session AS (
      UPDATE %1$I.agent_sessions AS s SET
        last_sequence = s.last_sequence + 1,
        updated_at = greatest(s.updated_at, clock_timestamp())
      WHERE s.id = p_session_id
        AND (p_lease_epoch IS NULL OR (s.lease_epoch = p_lease_epoch AND s.lease_holder = p_lease_holder))
        AND (p_after_seq IS NULL OR s.last_sequence = p_after_seq)
      RETURNING s.last_sequence AS seq, s.updated_at AS at
    )
    INSERT INTO %1$I.agent_session_events (id, session_id, sequence_number, event_type, version, timestamp, duration_ms, event_key, append_id,
      append_size, data)
    SELECT p_session_id || ':' || session.seq::text, p_session_id, session.seq, p_type, p_version,
      session.at, p_duration_ms, p_key, p_append_id, 1, p_data::json
    FROM session
    RETURNING (sequence_number - 1) || ' ' || to_char(timestamp AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') INTO done;
  IF p_type = 'redaction' THEN
    DELETE FROM %1$I.agent_session_snapshots WHERE session_id = p_session_id AND done IS NOT NULL;
  END IF;
  RETURN done;
END $pawl$$pawl_function$, current_schema());


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
  IF strpos(p_heads, '"redaction"') > 0 THEN
    DELETE FROM %1$I.agent_session_snapshots WHERE session_id = p_session_id AND done IS NOT NULL;
  END IF;
  RETURN done;
END $pawl$$pawl_function$, current_schema());


CREATE FUNCTION pawl_open_session(p_id text, p_user_id text, p_agent text, p_metadata text, p_holder text,
  p_ttl_ms float8, p_after_seq integer, p_snapshot text, OUT opened json, OUT seq integer, OUT state text
) LANGUAGE plpgsql AS $pawl$
BEGIN
  SELECT s.sequence_number, s.state INTO seq, state FROM agent_session_snapshots s
  WHERE s.session_id = p_id AND s.version = p_snapshot AND s.sequence_number > p_after_seq;
  opened := pawl_open(p_id, p_user_id, p_agent, p_metadata, p_holder, p_ttl_ms, greatest(p_after_seq, seq));
  IF seq IS NOT NULL AND opened ->> 'epoch' IS NULL THEN
    seq := NULL;
    state := NULL;
  END IF;
END $pawl$;

CREATE FUNCTION pawl_save_snapshot(p_session_id text, p_version text, p_seq integer, p_state text)
RETURNS boolean LANGUAGE plpgsql AS $pawl$
BEGIN
  -- Locks the session's row: an append waits, and then sees the snapshot that it may have to delete. At a
  -- stricter isolation level, an append that has waited for a change fails, and is retried.
  UPDATE agent_sessions SET last_sequence = last_sequence WHERE id = p_session_id AND last_sequence = p_seq;
  IF NOT FOUND THEN
    RETURN false;
  END IF;
  INSERT INTO agent_session_snapshots (session_id, version, sequence_number, state)
  VALUES (p_session_id, p_version, p_seq, p_state)
  ON CONFLICT (session_id) DO UPDATE SET version = excluded.version, sequence_number = excluded.sequence_number,
    state = excluded.state, stored_at = excluded.stored_at;
  RETURN true;
END $pawl$;

CREATE FUNCTION pawl_rpc_open_session(p_id text, p_user_id text, p_agent text, p_metadata text, p_holder text,
  p_ttl_ms float8, p_after_seq integer, p_snapshot text) RETURNS json LANGUAGE plpgsql AS $pawl$
DECLARE
  found record;
BEGIN
  found := pawl_open_session(p_id, p_user_id, p_agent, p_metadata, p_holder, p_ttl_ms, p_after_seq, p_snapshot);
  RETURN json_build_object('opened', found.opened, 'seq', found.seq, 'state', found.state);
END $pawl$;

CREATE FUNCTION pawl_rpc_save_snapshot(p_session_id text, p_version text, p_seq integer, p_state text)
RETURNS json LANGUAGE plpgsql AS $pawl$
BEGIN
  RETURN json_build_object('saved', pawl_save_snapshot(p_session_id, p_version, p_seq, p_state));
END $pawl$;

CREATE FUNCTION pawl_grant_snapshots(p_role name) RETURNS void LANGUAGE plpgsql AS $pawl$
BEGIN
  EXECUTE format('DROP POLICY IF EXISTS %I ON agent_session_snapshots', 'agent_session_snapshots_of_' || p_role);
  EXECUTE format('CREATE POLICY %I ON agent_session_snapshots TO %I USING (true) WITH CHECK (true)',
    'agent_session_snapshots_of_' || p_role, p_role);
  EXECUTE format('GRANT SELECT, INSERT, UPDATE, DELETE ON agent_session_snapshots TO %I', p_role);
  EXECUTE format('GRANT EXECUTE ON FUNCTION pawl_open_session(text, text, text, text, text, double precision, integer, text),
    pawl_save_snapshot(text, text, integer, text) TO %I', p_role);
END $pawl$;

CREATE OR REPLACE FUNCTION pawl_grant_service(p_role name) RETURNS void LANGUAGE plpgsql AS $pawl$
BEGIN
  PERFORM pawl_grant_log(p_role);
  PERFORM pawl_grant_snapshots(p_role);
  EXECUTE format('DROP POLICY IF EXISTS %I ON agent_session_live', 'agent_session_live_of_' || p_role);
  EXECUTE format('CREATE POLICY %I ON agent_session_live TO %I USING (true) WITH CHECK (true)',
    'agent_session_live_of_' || p_role, p_role);
  EXECUTE format('GRANT SELECT, INSERT, UPDATE, DELETE ON agent_session_live TO %I', p_role);
  EXECUTE format('GRANT EXECUTE ON FUNCTION pawl_open(text, text, text, text, text, double precision, integer) TO %I',
    p_role);
END $pawl$;

CREATE OR REPLACE FUNCTION pawl_grant_rpc_service(p_role name) RETURNS void LANGUAGE plpgsql AS $pawl$
BEGIN
  PERFORM pawl_grant_rpc(p_role, ARRAY['pawl_user_id', 'pawl_rpc_explain', 'pawl_rpc_events', 'pawl_rpc_session', 'pawl_rpc_sessions', 'pawl_rpc_recoverable', 'pawl_rpc_get_blob', 'pawl_rpc_append', 'pawl_rpc_create_session', 'pawl_rpc_acquire', 'pawl_rpc_renew', 'pawl_rpc_release', 'pawl_rpc_put_blob', 'pawl_rpc_open', 'pawl_rpc_open_session',
    'pawl_rpc_save_snapshot']);
END $pawl$;

CREATE OR REPLACE FUNCTION pawl_grant_users(p_role name) RETURNS void LANGUAGE plpgsql AS $pawl$
BEGIN
  EXECUTE format('GRANT USAGE ON SCHEMA %I TO %I', current_schema(), p_role);
  EXECUTE format('REVOKE ALL ON pawl_migrations, agent_sessions, agent_session_events, agent_session_blobs,
    agent_session_summaries, agent_daily_metrics, agent_reservations, agent_session_live,
    agent_session_snapshots FROM %I', p_role);
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
  FOREACH one IN ARRAY ARRAY['pawl_open_session', 'pawl_save_snapshot', 'pawl_rpc_open_session',
    'pawl_rpc_save_snapshot', 'pawl_grant_snapshots']::regproc[] LOOP
    EXECUTE format('REVOKE EXECUTE ON FUNCTION %s FROM PUBLIC', one);
    FOR given IN SELECT r.rolname FROM pg_proc p, aclexplode(p.proacl) a, pg_roles r
      WHERE p.oid = one AND a.grantee <> p.proowner AND r.oid = a.grantee LOOP
      EXECUTE format('REVOKE ALL ON FUNCTION %s FROM %I', one, given);
    END LOOP;
  END LOOP;
  FOR given IN SELECT DISTINCT r.rolname FROM pg_class c, aclexplode(c.relacl) a, pg_roles r
    WHERE c.oid = 'agent_session_snapshots'::regclass AND a.grantee <> c.relowner AND r.oid = a.grantee LOOP
    EXECUTE format('REVOKE ALL ON agent_session_snapshots FROM %I', given);
  END LOOP;
  -- Replacing a function drops its settings.
  FOR one IN SELECT p.oid FROM pg_proc p WHERE p.pronamespace = current_schema()::regnamespace AND p.proname IN (
    'pawl_open_session', 'pawl_save_snapshot', 'pawl_rpc_open_session', 'pawl_rpc_save_snapshot',
    'pawl_grant_snapshots', 'pawl_grant_service', 'pawl_grant_rpc_service', 'pawl_grant_users') LOOP
    EXECUTE format('ALTER FUNCTION %s SET search_path = %I, pg_temp', one, current_schema());
  END LOOP;
  -- Who may append, may open sessions and keep snapshots.
  FOR given IN SELECT r.rolname FROM pg_proc p, aclexplode(p.proacl) a, pg_roles r
    WHERE p.pronamespace = current_schema()::regnamespace AND p.proname = 'pawl_store_events'
      AND a.privilege_type = 'EXECUTE' AND a.grantee <> p.proowner AND r.oid = a.grantee LOOP
    PERFORM pawl_grant_snapshots(given);
  END LOOP;
  FOR given IN SELECT r.rolname FROM pg_proc p, aclexplode(p.proacl) a, pg_roles r
    WHERE p.pronamespace = current_schema()::regnamespace AND p.proname = 'pawl_rpc_append'
      AND a.privilege_type = 'EXECUTE' AND a.grantee <> p.proowner AND r.oid = a.grantee LOOP
    EXECUTE format('GRANT EXECUTE ON FUNCTION pawl_rpc_open_session(text, text, text, text, text, double precision, integer, text),
    pawl_rpc_save_snapshot(text, text, integer, text) TO %I', given);
  END LOOP;
END;

INSERT INTO pawl_migrations (version, name) VALUES (13, 'snapshots');
END IF;
END $pawl_migration$;
