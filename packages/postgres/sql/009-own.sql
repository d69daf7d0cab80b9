DO $pawl_migration$ BEGIN
PERFORM pg_advisory_xact_lock(7231950);
CREATE TABLE IF NOT EXISTS pawl_migrations (
  version integer PRIMARY KEY, name text NOT NULL, applied_at timestamptz NOT NULL DEFAULT now());
IF NOT EXISTS (SELECT FROM pawl_migrations WHERE version = 9) THEN

CREATE OR REPLACE FUNCTION pawl_own(p_session_id text, p_append_id text, OUT session agent_sessions,
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
  IF session.id = (session.metadata #>> '{parent,session_id}') || ':' || (session.metadata #>> '{parent,call_id}') THEN
    RAISE EXCEPTION 'This session is an agent''s task. Write to the session of the run that gave the task.'
      USING ERRCODE = 'PT422';
  END IF;
  SELECT e.sequence_number, to_char(e.timestamp AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')
  INTO sequence_number, at FROM agent_session_events e
  WHERE e.session_id = p_session_id AND e.append_id IN ('user:' || p_append_id, p_append_id)
    AND e.append_size = 1 AND e.event_type IN ('user_message', 'tool_answered')
  ORDER BY e.sequence_number LIMIT 1;
END $pawl$;

CREATE OR REPLACE FUNCTION pawl_send_message(p_session_id text, p_append_id text, p_message json,
  p_client_message_id text DEFAULT NULL, OUT sequence_number integer, OUT at text
) LANGUAGE plpgsql SECURITY DEFINER AS $pawl$
DECLARE
  known record;
  queued boolean;
  done text;
BEGIN
  IF octet_length(p_message::text) > 1000000 THEN
    RAISE EXCEPTION 'A message has at most 1000000 bytes.' USING ERRCODE = 'PT422';
  END IF;
  IF p_message IS NULL OR json_typeof(p_message) <> 'string'
    OR p_message::text ~* '^\s*"([\u0020\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff]|\\[tnfr]|\\u(0009|000[a-d]|0020|00a0|1680|200[0-9a]|2028|2029|202f|205f|3000|feff))*"\s*$'
    OR p_client_message_id = '' OR octet_length(p_client_message_id) > 900 THEN
    RAISE EXCEPTION 'A message is a text, as JSON.' USING ERRCODE = 'PT422';
  END IF;
  known := pawl_own(p_session_id, p_append_id);
  sequence_number := known.sequence_number;
  at := known.at;
  IF sequence_number IS NOT NULL THEN
    RETURN;
  END IF;
  queued := (known.session).open_run IS NOT NULL;
  done := pawl_store_events(p_session_id, 'user:' || p_append_id, 1, 1,
    json_build_array(json_strip_nulls(json_build_object('type', 'user_message',
      'key', 'message:' || p_client_message_id)))::text,
    '[{"message":' || p_message::text || CASE WHEN queued THEN ',"queued":true' ELSE '' END || '}]',
    NULL, NULL, NULL, false, CASE WHEN queued THEN '{"wakes":true}' END);
  sequence_number := split_part(done, ' ', 1)::integer + 1;
  at := split_part(done, ' ', 2);
EXCEPTION WHEN unique_violation THEN
  RAISE EXCEPTION 'This message is there already.' USING ERRCODE = 'PT409';
END $pawl$;

CREATE OR REPLACE FUNCTION pawl_answer(p_session_id text, p_append_id text, p_question integer, p_value json,
  OUT sequence_number integer, OUT at text
) LANGUAGE plpgsql SECURITY DEFINER AS $pawl$
DECLARE
  answer text := p_value;
  known record;
  asked record;
  about text[];
  done text;
BEGIN
  IF octet_length(answer) > 1000000 THEN
    RAISE EXCEPTION 'An answer has at most 1000000 bytes.' USING ERRCODE = 'PT422';
  END IF;
  IF length(answer) - length(translate(answer, '[{', '')) > 500 AND (
    SELECT max(depth) > 500 FROM (
      SELECT sum(CASE WHEN one IN ('[', '{') THEN 1 ELSE -1 END) OVER (ORDER BY n) AS depth
      FROM string_to_table((
        SELECT string_agg(regexp_replace(part, '[^][{}]+', '', 'g'), '' ORDER BY n)
        FROM string_to_table(replace(replace(answer, '\\', ''), '\"', ''), '"') WITH ORDINALITY AS p (part, n)
        WHERE n % 2 = 1
      ), NULL) WITH ORDINALITY AS b (one, n)
    ) levels) THEN
    RAISE EXCEPTION 'An answer is nested at most 500 levels deep.' USING ERRCODE = 'PT422';
  END IF;
  known := pawl_own(p_session_id, p_append_id);
  sequence_number := known.sequence_number;
  at := known.at;
  IF sequence_number IS NOT NULL THEN
    RETURN;
  END IF;
  SELECT e.event_key AS key, e.data::text AS data INTO asked FROM agent_session_events e
  WHERE e.session_id = p_session_id AND e.sequence_number = p_question AND e.event_type = 'tool_suspended'
    AND starts_with(e.event_key, 'asked:');
  IF NOT FOUND THEN
    RAISE EXCEPTION 'There is no such question.' USING ERRCODE = 'PT404';
  END IF;
  about := regexp_match(asked.data, '^\s*\{\s*"tool_name"\s*:\s*("(?:[^"\\]|\\.)*")\s*,\s*"call_id"\s*:\s*("(?:[^"\\]|\\.)*")');
  IF answer IS NULL OR about IS NULL OR (known.session).open_run IS NULL THEN
    RAISE EXCEPTION 'This question cannot be answered.' USING ERRCODE = 'PT422';
  END IF;
  done := pawl_store_events(p_session_id, 'user:' || p_append_id, 1, 1,
    json_build_array(json_build_object('type', 'tool_answered',
      'key', 'answer:' || substr(asked.key, length('asked:') + 1)))::text,
    '[{"tool_name":' || about[1] || ',"call_id":' || about[2] || ',"value":' || answer || '}]',
    NULL, NULL, NULL, false, '{"status":"active","pending":-1}');
  sequence_number := split_part(done, ' ', 1)::integer + 1;
  at := split_part(done, ' ', 2);
EXCEPTION WHEN unique_violation THEN
  RAISE EXCEPTION 'This question has been answered already.' USING ERRCODE = 'PT409';
END $pawl$;

CREATE OR REPLACE FUNCTION pawl_rpc_send_message(p_session_id text, p_append_id text, p_message text,
  p_client_message_id text) RETURNS json LANGUAGE plpgsql AS $pawl$
BEGIN
  RETURN (SELECT json_build_object('seq', m.sequence_number, 'at', m.at)
    FROM pawl_send_message(p_session_id, p_append_id, p_message::json, p_client_message_id) m);
EXCEPTION WHEN invalid_text_representation OR statement_too_complex THEN
  RAISE EXCEPTION 'A message is a text, as JSON.' USING ERRCODE = 'PT422';
END $pawl$;

CREATE OR REPLACE FUNCTION pawl_rpc_answer(p_session_id text, p_append_id text, p_question integer, p_value text)
RETURNS json LANGUAGE plpgsql AS $pawl$
BEGIN
  RETURN (SELECT json_build_object('seq', m.sequence_number, 'at', m.at)
    FROM pawl_answer(p_session_id, p_append_id, p_question, p_value::json) m);
EXCEPTION WHEN invalid_text_representation OR statement_too_complex THEN
  RAISE EXCEPTION 'An answer is JSON, nested at most 500 levels deep.' USING ERRCODE = 'PT422';
END $pawl$;

CREATE OR REPLACE FUNCTION pawl_grant_users(p_role name) RETURNS void LANGUAGE plpgsql AS $pawl$
BEGIN
  EXECUTE format('GRANT USAGE ON SCHEMA %I TO %I', current_schema(), p_role);
  EXECUTE format('REVOKE ALL ON pawl_migrations, agent_sessions, agent_session_events, agent_session_blobs,
    agent_session_summaries, agent_daily_metrics, agent_reservations, agent_session_live FROM %I', p_role);
  EXECUTE format('GRANT SELECT ON agent_session_blobs, agent_session_summaries, agent_daily_metrics TO %I', p_role);
  EXECUTE format('GRANT SELECT (id, user_id, agent, status, created_at, updated_at, context_start_sequence, last_sequence, open_run,
    pending, input_tokens, output_tokens, cached_tokens, cache_write_tokens, cache_write_1h_tokens, total_tokens,
    total_cost_cents, metadata) ON agent_sessions TO %I', p_role);
  EXECUTE format('GRANT SELECT (id, session_id, sequence_number, event_type, version, timestamp, duration_ms, event_key, data) ON agent_session_events TO %I', p_role);
  EXECUTE format('GRANT EXECUTE ON FUNCTION pawl_user_id(), pawl_send_message(text, text, json, text),
    pawl_answer(text, text, integer, json) TO %I', p_role);
END $pawl$;

CREATE OR REPLACE FUNCTION pawl_grant_rpc_users(p_role name) RETURNS void LANGUAGE plpgsql AS $pawl$
BEGIN
  PERFORM pawl_grant_rpc(p_role, ARRAY['pawl_user_id', 'pawl_rpc_events', 'pawl_rpc_session', 'pawl_rpc_sessions', 'pawl_rpc_get_blob', 'pawl_rpc_send_message', 'pawl_rpc_answer']);
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
    'total_cost_cents', s.total_cost_cents, 'metadata', s.metadata) ORDER BY s.created_at DESC, s.id), '[]')
    FROM (
      SELECT id, user_id, agent, status, created_at, updated_at, context_start_sequence, last_sequence, open_run,
    pending, input_tokens, output_tokens, cached_tokens, cache_write_tokens, cache_write_1h_tokens, total_tokens,
    total_cost_cents, metadata FROM agent_sessions
      WHERE user_id = p_user_id AND (p_agent IS NULL OR agent = p_agent)
        AND (p_status IS NULL OR status IN (SELECT json_array_elements_text(p_status::json)))
      ORDER BY created_at DESC, id LIMIT p_limit
    ) s));
END $pawl$;

DECLARE
  one regprocedure;
  given name;
BEGIN
  -- Replacing a function drops its settings.
  FOR one IN SELECT p.oid FROM pg_proc p WHERE p.pronamespace = current_schema()::regnamespace AND p.proname IN (
    'pawl_own', 'pawl_send_message', 'pawl_answer', 'pawl_rpc_send_message', 'pawl_rpc_answer', 'pawl_rpc_sessions',
    'pawl_grant_users', 'pawl_grant_rpc_users') LOOP
    EXECUTE format('ALTER FUNCTION %s SET search_path = %I, pg_temp', one, current_schema());
  END LOOP;
  FOR given IN SELECT r.rolname FROM pg_roles r WHERE EXISTS (
      SELECT FROM pg_proc p, aclexplode(p.proacl) a WHERE p.pronamespace = current_schema()::regnamespace
        AND p.proname IN ('pawl_user_id', 'pawl_rpc_explain', 'pawl_rpc_recoverable')
        AND a.grantee = r.oid AND a.grantee <> p.proowner
    ) AND NOT EXISTS (
      SELECT FROM pg_proc p, aclexplode(p.proacl) a WHERE p.pronamespace = current_schema()::regnamespace
        AND p.proname IN ('pawl_append', 'pawl_rpc_append') AND a.grantee = r.oid
    ) LOOP
    IF EXISTS (SELECT FROM pg_class c, aclexplode(c.relacl) a, pg_roles r WHERE c.oid = 'agent_sessions'::regclass
      AND a.privilege_type = 'SELECT' AND r.oid = a.grantee AND r.rolname = given) THEN
      EXECUTE format('REVOKE SELECT ON agent_sessions FROM %I', given);
      EXECUTE format('GRANT SELECT (id, user_id, agent, status, created_at, updated_at, context_start_sequence, last_sequence, open_run,
    pending, input_tokens, output_tokens, cached_tokens, cache_write_tokens, cache_write_1h_tokens, total_tokens,
    total_cost_cents, metadata) ON agent_sessions TO %I', given);
    END IF;
    IF EXISTS (SELECT FROM pg_class c, aclexplode(c.relacl) a, pg_roles r WHERE c.oid = 'agent_session_events'::regclass
      AND a.privilege_type = 'SELECT' AND r.oid = a.grantee AND r.rolname = given) THEN
      EXECUTE format('REVOKE SELECT ON agent_session_events FROM %I', given);
      EXECUTE format('GRANT SELECT (id, session_id, sequence_number, event_type, version, timestamp, duration_ms, event_key, data) ON agent_session_events TO %I', given);
    END IF;
    EXECUTE format('REVOKE ALL ON FUNCTION pawl_rpc_explain(text, text, text), pawl_rpc_recoverable(integer, text)
      FROM %I', given);
  END LOOP;
END;

INSERT INTO pawl_migrations (version, name) VALUES (9, 'own');
END IF;
END $pawl_migration$;
