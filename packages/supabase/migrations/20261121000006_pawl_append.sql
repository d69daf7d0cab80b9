DO $pawl_migration$ BEGIN
PERFORM pg_advisory_xact_lock(7231950);
CREATE TABLE IF NOT EXISTS pawl_migrations (
  version integer PRIMARY KEY, name text NOT NULL, applied_at timestamptz NOT NULL DEFAULT now());
IF NOT EXISTS (SELECT FROM pawl_migrations WHERE version = 6) THEN

ALTER TABLE agent_session_events ALTER COLUMN id DROP EXPRESSION;
ALTER TABLE agent_sessions ALTER COLUMN total_tokens DROP EXPRESSION, ALTER COLUMN total_tokens SET DEFAULT 0,
  DROP CONSTRAINT IF EXISTS agent_sessions_status_check;

EXECUTE format($pawl_function$
CREATE FUNCTION pawl_store_event(
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
  RETURN done;
END $pawl$$pawl_function$, current_schema());

EXECUTE format($pawl_function$
CREATE FUNCTION pawl_store_events(
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
        status = coalesce(p_patch ->> 'status', s.status),
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

EXECUTE format($pawl_function$
CREATE OR REPLACE FUNCTION pawl_append(
  p_session_id text, p_append_id text, p_version integer, p_size integer, p_heads json, p_payloads json,
  p_lease_epoch integer DEFAULT NULL, p_lease_holder text DEFAULT NULL, p_after_seq integer DEFAULT NULL,
  p_release boolean DEFAULT false, p_patch json DEFAULT NULL, OUT base integer, OUT at text
) RETURNS SETOF record LANGUAGE plpgsql AS $pawl$
DECLARE
  done text := %1$I.pawl_store_events(p_session_id, p_append_id, p_version, p_size, p_heads::text, p_payloads::text,
    p_lease_epoch, p_lease_holder, p_after_seq, p_release, p_patch::text);
BEGIN
  IF done IS NOT NULL THEN
    base := split_part(done, ' ', 1);
    at := split_part(done, ' ', 2);
    RETURN NEXT;
  END IF;
END $pawl$$pawl_function$, current_schema());

CREATE OR REPLACE FUNCTION pawl_rpc_append(
  p_session_id text, p_append_id text, p_version integer, p_size integer, p_heads text, p_payloads text,
  p_lease_epoch integer, p_lease_holder text, p_after_seq integer, p_release boolean, p_patch text
) RETURNS json LANGUAGE plpgsql AS $pawl$
DECLARE
  done text := pawl_store_events(p_session_id, p_append_id, p_version, p_size, p_heads, p_payloads, p_lease_epoch,
    p_lease_holder, p_after_seq, p_release, p_patch);
BEGIN
  RETURN json_build_object('base', split_part(done, ' ', 1)::integer, 'at', split_part(done, ' ', 2));
END $pawl$;

CREATE OR REPLACE FUNCTION pawl_send_message(p_session_id text, p_append_id text, p_message json,
  p_client_message_id text DEFAULT NULL, OUT sequence_number integer, OUT at text
) LANGUAGE plpgsql SECURITY DEFINER AS $pawl$
DECLARE
  known record := pawl_own(p_session_id, p_append_id);
  done text;
BEGIN
  sequence_number := known.sequence_number;
  at := known.at;
  IF sequence_number IS NOT NULL THEN
    RETURN;
  END IF;
  IF octet_length(p_message::text) > 1000000 THEN
    RAISE EXCEPTION 'A message has at most 1000000 bytes.' USING ERRCODE = 'PT422';
  END IF;
  IF p_message IS NULL OR json_typeof(p_message) <> 'string'
    OR p_message::text ~* '^\s*"([\u0020\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff]|\\[tnfr]|\\u(0009|000[a-d]|0020|00a0|1680|200[0-9a]|2028|2029|202f|205f|3000|feff))*"\s*$'
    OR p_client_message_id = '' OR octet_length(p_client_message_id) > 900 THEN
    RAISE EXCEPTION 'A message is a text, as JSON.' USING ERRCODE = 'PT422';
  END IF;
  done := pawl_store_event(p_session_id, p_append_id, 1, 'user_message', 'message:' || p_client_message_id, NULL,
    '{"message":' || p_message::text
      || CASE WHEN (known.session).open_run IS NULL THEN '' ELSE ',"queued":true' END || '}', NULL, NULL, NULL);
  sequence_number := split_part(done, ' ', 1)::integer + 1;
  at := split_part(done, ' ', 2);
EXCEPTION WHEN unique_violation THEN
  RAISE EXCEPTION 'This message is there already.' USING ERRCODE = 'PT409';
END $pawl$;

CREATE OR REPLACE FUNCTION pawl_grant_service(p_role name) RETURNS void LANGUAGE plpgsql AS $pawl$
DECLARE
  tables text[] := ARRAY['agent_sessions', 'agent_session_events', 'agent_session_blobs', 'agent_reservations'];
  one text;
BEGIN
  EXECUTE format('GRANT USAGE ON SCHEMA %I TO %I', current_schema(), p_role);
  EXECUTE format('GRANT SELECT ON pawl_migrations, agent_session_summaries, agent_daily_metrics TO %I', p_role);
  EXECUTE format('GRANT EXECUTE ON FUNCTION pawl_store_event(text, text, integer, text, text, double precision, text, integer, text, integer),
    pawl_store_events(text, text, integer, integer, text, text, integer, text, integer, boolean, text),
    pawl_append(text, text, integer, integer, json, json, integer, text, integer, boolean, json),
    pawl_expire_account(text), pawl_reserve(text, text, bigint, bigint, integer),
    pawl_charge_reservation(text, bigint, text, integer), pawl_expire_reservations() TO %I', p_role);
  FOREACH one IN ARRAY tables || 'pawl_migrations'::text LOOP
    EXECUTE format('DROP POLICY IF EXISTS %I ON %I', one || '_of_' || p_role, one);
    EXECUTE format('CREATE POLICY %I ON %I TO %I USING (true) WITH CHECK (true)', one || '_of_' || p_role, one, p_role);
  END LOOP;
  FOREACH one IN ARRAY tables LOOP
    EXECUTE format('GRANT SELECT, INSERT, UPDATE, DELETE ON %I TO %I', one, p_role);
  END LOOP;
END $pawl$;

CREATE OR REPLACE FUNCTION pawl_grant_users(p_role name) RETURNS void LANGUAGE plpgsql AS $pawl$
BEGIN
  EXECUTE format('GRANT USAGE ON SCHEMA %I TO %I', current_schema(), p_role);
  EXECUTE format('REVOKE ALL ON pawl_migrations, agent_sessions, agent_session_events, agent_session_blobs,
    agent_session_summaries, agent_daily_metrics, agent_reservations FROM %I', p_role);
  EXECUTE format('GRANT SELECT ON agent_sessions, agent_session_events, agent_session_blobs,
    agent_session_summaries, agent_daily_metrics TO %I', p_role);
  EXECUTE format('GRANT EXECUTE ON FUNCTION pawl_user_id(), pawl_send_message(text, text, json, text),
    pawl_answer(text, text, integer, json) TO %I', p_role);
END $pawl$;

REVOKE EXECUTE ON FUNCTION pawl_store_event(text, text, integer, text, text, double precision, text, integer, text, integer),
    pawl_store_events(text, text, integer, integer, text, text, integer, text, integer, boolean, text) FROM PUBLIC;

DECLARE
  one regprocedure;
  given name;
  appenders name[] := ARRAY(SELECT r.rolname FROM pg_proc p, aclexplode(p.proacl) a, pg_roles r
    WHERE p.oid = 'pawl_append(text, text, integer, integer, json, json, integer, text, integer, boolean, json)'::regprocedure
      AND a.privilege_type = 'EXECUTE' AND a.grantee <> p.proowner AND r.oid = a.grantee);
BEGIN
  FOREACH one IN ARRAY ARRAY['pawl_rpc_append(text, text, integer, integer, text, text, integer, text, integer, boolean, text)',
    'pawl_send_message(text, text, json, text)', 'pawl_grant_service(name)', 'pawl_grant_users(name)'
  ]::regprocedure[] LOOP
    EXECUTE format('ALTER FUNCTION %s SET search_path = %I, pg_temp', one, current_schema());
  END LOOP;
  FOR one, given IN SELECT DISTINCT p.oid, r.rolname FROM pg_proc p, aclexplode(p.proacl) a, pg_roles r
    WHERE p.pronamespace = current_schema()::regnamespace AND p.proname IN ('pawl_store_event', 'pawl_store_events')
      AND a.grantee <> p.proowner AND r.oid = a.grantee LOOP
    EXECUTE format('REVOKE ALL ON FUNCTION %s FROM %I', one, given);
  END LOOP;
  FOREACH given IN ARRAY appenders LOOP
    EXECUTE format('GRANT EXECUTE ON FUNCTION pawl_store_event(text, text, integer, text, text, double precision, text, integer, text, integer),
    pawl_store_events(text, text, integer, integer, text, text, integer, text, integer, boolean, text) TO %I', given);
  END LOOP;
  FOR given IN SELECT DISTINCT r.rolname FROM pg_proc p, aclexplode(p.proacl) a, pg_roles r
    WHERE p.oid = 'pawl_send_message(text, text, json, text)'::regprocedure
      AND a.grantee <> p.proowner AND r.oid = a.grantee AND r.rolname <> ALL (appenders) LOOP
    EXECUTE format('REVOKE ALL ON agent_reservations FROM %I', given);
  END LOOP;
END;

INSERT INTO pawl_migrations (version, name) VALUES (6, 'append');
END IF;
END $pawl_migration$;

NOTIFY pgrst, 'reload schema';
