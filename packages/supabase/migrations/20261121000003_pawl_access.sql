DO $pawl_migration$ BEGIN
PERFORM pg_advisory_xact_lock(7231950);
CREATE TABLE IF NOT EXISTS pawl_migrations (
  version integer PRIMARY KEY, name text NOT NULL, applied_at timestamptz NOT NULL DEFAULT now());
IF NOT EXISTS (SELECT FROM pawl_migrations WHERE version = 3) THEN

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

CREATE VIEW agent_session_summaries WITH (security_invoker = true) AS
SELECT s.id, s.user_id, s.agent, s.status, s.created_at, s.updated_at, s.context_start_sequence,
  s.input_tokens, s.output_tokens, s.cached_tokens, s.cache_write_tokens, s.total_tokens, s.total_cost_cents,
  s.cached_tokens::float8 / nullif(s.input_tokens + s.cached_tokens + s.cache_write_tokens, 0) AS cache_hit_rate,
  s.pending, s.metadata, s.last_sequence AS event_count,
  e.message_count, e.llm_call_count, e.tool_call_count, e.error_count, e.artifact_count, e.duration_ms
FROM agent_sessions s CROSS JOIN LATERAL (
  SELECT count(*) FILTER (WHERE event_type = 'user_message') AS message_count,
    count(*) FILTER (WHERE event_type = 'llm_response') AS llm_call_count,
    count(*) FILTER (WHERE event_type = 'tool_call') AS tool_call_count,
    count(*) FILTER (WHERE event_type = 'error') AS error_count,
    count(*) FILTER (WHERE event_type = 'artifact') AS artifact_count,
    coalesce(sum(duration_ms), 0) AS duration_ms
  FROM agent_session_events WHERE session_id = s.id
) e;

CREATE VIEW agent_daily_metrics WITH (security_invoker = true) AS
SELECT user_id, (created_at AT TIME ZONE 'UTC')::date AS day, count(*) AS session_count,
  count(*) FILTER (WHERE status = 'error') AS error_session_count,
  sum(input_tokens)::bigint AS input_tokens, sum(output_tokens)::bigint AS output_tokens,
  sum(cached_tokens)::bigint AS cached_tokens, sum(cache_write_tokens)::bigint AS cache_write_tokens,
  sum(total_tokens)::bigint AS total_tokens, sum(total_cost_cents) AS total_cost_cents,
  sum(cached_tokens)::float8 / nullif(sum(input_tokens + cached_tokens + cache_write_tokens), 0)::float8
    AS cache_hit_rate
FROM agent_sessions GROUP BY user_id, (created_at AT TIME ZONE 'UTC')::date;

COMMENT ON VIEW agent_daily_metrics IS 'By the day, in UTC, on which a session began.';

CREATE FUNCTION pawl_own(p_session_id text, p_append_id text, OUT session agent_sessions,
  OUT sequence_number integer, OUT at text) LANGUAGE plpgsql SECURITY DEFINER AS $pawl$
BEGIN
  IF pawl_user_id() IS NULL THEN
    RAISE EXCEPTION 'Nobody is signed in.' USING ERRCODE = '42501';
  END IF;
  SELECT s.* INTO session FROM agent_sessions s
  WHERE s.id = p_session_id AND s.user_id = pawl_user_id() FOR UPDATE;
  IF NOT FOUND THEN
    RAISE EXCEPTION 'There is no such session.' USING ERRCODE = 'PT404';
  END IF;
  IF coalesce(p_append_id, '') = '' OR octet_length(p_append_id) > 1000 OR session.status = 'expired' THEN
    RAISE EXCEPTION 'This cannot be stored.' USING ERRCODE = 'PT422';
  END IF;
  SELECT e.sequence_number, to_char(e.timestamp AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')
  INTO sequence_number, at FROM agent_session_events e
  WHERE e.session_id = p_session_id AND e.append_id = p_append_id;
END $pawl$;

CREATE FUNCTION pawl_send_message(p_session_id text, p_append_id text, p_message json,
  p_client_message_id text DEFAULT NULL, OUT sequence_number integer, OUT at text
) LANGUAGE plpgsql SECURITY DEFINER AS $pawl$
DECLARE
  known record := pawl_own(p_session_id, p_append_id);
BEGIN
  sequence_number := known.sequence_number;
  at := known.at;
  IF sequence_number IS NOT NULL THEN
    RETURN;
  END IF;
  IF p_message IS NULL OR json_typeof(p_message) <> 'string' OR p_message::text ~ '^\s*"\s*"\s*$'
    OR p_client_message_id = '' OR octet_length(p_client_message_id) > 900 THEN
    RAISE EXCEPTION 'A message is a text, as JSON.' USING ERRCODE = 'PT422';
  END IF;
  SELECT a.base + 1, a.at INTO sequence_number, at FROM pawl_append(p_session_id, p_append_id, 1, 1,
    json_build_array(json_strip_nulls(json_build_object('type', 'user_message',
      'key', 'message:' || p_client_message_id))),
    ('[{"message":' || p_message::text
      || CASE WHEN (known.session).open_run IS NULL THEN '' ELSE ',"queued":true' END || '}]')::json) a;
EXCEPTION WHEN unique_violation THEN
  RAISE EXCEPTION 'This message is there already.' USING ERRCODE = 'PT409';
END $pawl$;

CREATE FUNCTION pawl_answer(p_session_id text, p_append_id text, p_question integer, p_value json,
  OUT sequence_number integer, OUT at text
) LANGUAGE plpgsql SECURITY DEFINER AS $pawl$
DECLARE
  known record := pawl_own(p_session_id, p_append_id);
  asked agent_session_events;
BEGIN
  sequence_number := known.sequence_number;
  at := known.at;
  IF sequence_number IS NOT NULL THEN
    RETURN;
  END IF;
  SELECT e.* INTO asked FROM agent_session_events e
  WHERE e.session_id = p_session_id AND e.sequence_number = p_question AND e.event_type = 'tool_suspended'
    AND starts_with(e.event_key, 'asked:');
  IF NOT FOUND THEN
    RAISE EXCEPTION 'There is no such question.' USING ERRCODE = 'PT404';
  END IF;
  IF p_value IS NULL OR (known.session).open_run IS NULL THEN
    RAISE EXCEPTION 'This question cannot be answered.' USING ERRCODE = 'PT422';
  END IF;
  SELECT a.base + 1, a.at INTO sequence_number, at FROM pawl_append(p_session_id, p_append_id, 1, 1,
    json_build_array(json_build_object('type', 'tool_answered',
      'key', 'answer:' || substr(asked.event_key, length('asked:') + 1))),
    ('[{"tool_name":' || (asked.data -> 'tool_name')::text || ',"call_id":' || (asked.data -> 'call_id')::text
      || ',"value":' || p_value::text || '}]')::json,
    p_patch => '{"status":"active","pending":-1}') a;
EXCEPTION WHEN unique_violation THEN
  RAISE EXCEPTION 'This question has been answered already.' USING ERRCODE = 'PT409';
END $pawl$;

CREATE FUNCTION pawl_user_id() RETURNS text LANGUAGE sql STABLE AS $pawl$
  SELECT nullif(coalesce(nullif(current_setting('request.jwt.claims', true), '')::json ->> 'sub',
    current_setting('request.jwt.claim.sub', true)), '')
$pawl$;

ALTER TABLE pawl_migrations ENABLE ROW LEVEL SECURITY;
ALTER TABLE agent_sessions ENABLE ROW LEVEL SECURITY;
ALTER TABLE agent_session_events ENABLE ROW LEVEL SECURITY;
ALTER TABLE agent_session_blobs ENABLE ROW LEVEL SECURITY;

CREATE POLICY agent_sessions_own ON agent_sessions FOR SELECT
  USING (user_id = (SELECT pawl_user_id()));
CREATE POLICY agent_session_events_own ON agent_session_events FOR SELECT
  USING (EXISTS (SELECT FROM agent_sessions s WHERE s.id = session_id AND s.user_id = (SELECT pawl_user_id())));
CREATE POLICY agent_session_blobs_own ON agent_session_blobs FOR SELECT
  USING (EXISTS (SELECT FROM agent_sessions s WHERE s.id = session_id AND s.user_id = (SELECT pawl_user_id())));

CREATE FUNCTION pawl_grant_service(p_role name) RETURNS void LANGUAGE plpgsql AS $pawl$
DECLARE
  tables text[] := ARRAY['agent_sessions', 'agent_session_events', 'agent_session_blobs'];
  one text;
BEGIN
  EXECUTE format('GRANT USAGE ON SCHEMA %I TO %I', current_schema(), p_role);
  EXECUTE format('GRANT SELECT ON pawl_migrations, agent_session_summaries, agent_daily_metrics TO %I', p_role);
  EXECUTE format('GRANT EXECUTE ON FUNCTION pawl_append(text, text, integer, integer, json, json, integer, text,
    integer, boolean, json) TO %I', p_role);
  FOREACH one IN ARRAY tables || 'pawl_migrations'::text LOOP
    EXECUTE format('DROP POLICY IF EXISTS %I ON %I', one || '_of_' || p_role, one);
    EXECUTE format('CREATE POLICY %I ON %I TO %I USING (true) WITH CHECK (true)', one || '_of_' || p_role, one, p_role);
  END LOOP;
  FOREACH one IN ARRAY tables LOOP
    EXECUTE format('GRANT SELECT, INSERT, UPDATE, DELETE ON %I TO %I', one, p_role);
  END LOOP;
END $pawl$;

CREATE FUNCTION pawl_grant_users(p_role name) RETURNS void LANGUAGE plpgsql AS $pawl$
BEGIN
  EXECUTE format('GRANT USAGE ON SCHEMA %I TO %I', current_schema(), p_role);
  EXECUTE format('REVOKE ALL ON pawl_migrations, agent_sessions, agent_session_events, agent_session_blobs,
    agent_session_summaries, agent_daily_metrics FROM %I', p_role);
  EXECUTE format('GRANT SELECT ON agent_sessions, agent_session_events, agent_session_blobs,
    agent_session_summaries, agent_daily_metrics TO %I', p_role);
  EXECUTE format('GRANT EXECUTE ON FUNCTION pawl_user_id(), pawl_send_message(text, text, json, text),
    pawl_answer(text, text, integer, json) TO %I', p_role);
END $pawl$;

REVOKE EXECUTE ON FUNCTION pawl_append(text, text, integer, integer, json, json, integer, text, integer, boolean,
  json), pawl_own(text, text), pawl_send_message(text, text, json, text), pawl_answer(text, text, integer, json),
  pawl_grant_service(name), pawl_grant_users(name) FROM PUBLIC;

DECLARE
  one regprocedure;
BEGIN
  FOREACH one IN ARRAY ARRAY[
    'pawl_append(text, text, integer, integer, json, json, integer, text, integer, boolean, json)',
    'pawl_user_id()', 'pawl_own(text, text)', 'pawl_send_message(text, text, json, text)',
    'pawl_answer(text, text, integer, json)', 'pawl_grant_service(name)', 'pawl_grant_users(name)'
  ]::regprocedure[] LOOP
    EXECUTE format('ALTER FUNCTION %s SET search_path = %I, pg_temp', one, current_schema());
  END LOOP;
  IF EXISTS (SELECT FROM pg_roles WHERE rolname = 'anon') THEN
    EXECUTE 'REVOKE ALL ON pawl_migrations, agent_sessions, agent_session_events, agent_session_blobs,
      agent_session_summaries, agent_daily_metrics FROM anon';
  END IF;
  IF EXISTS (SELECT FROM pg_roles WHERE rolname = 'authenticated') THEN
    PERFORM pawl_grant_users('authenticated');
  END IF;
  IF EXISTS (SELECT FROM pg_roles WHERE rolname = 'service_role') THEN
    PERFORM pawl_grant_service('service_role');
  END IF;
END;

INSERT INTO pawl_migrations (version, name) VALUES (3, 'access');
END IF;
END $pawl_migration$;

NOTIFY pgrst, 'reload schema';
