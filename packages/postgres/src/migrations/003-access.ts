/**
 * Access rights. The owner of the tables bypasses row-level security: an application that connects as the
 * role that ran the migrations has full access, as before. Other roles see nothing until rights are granted.
 * `pawl_grant_service(role)` grants full access. `pawl_grant_users(role)` lets users read, send messages and
 * answer in their own sessions. If Supabase's roles exist, they are granted these rights at once.
 *
 * The user is the claim `sub` in the setting `request.jwt.claims`, as PostgREST sets it. Any role that can
 * set this can act as any user. So grant users' rights only to roles that servers use, never to roles that
 * people log in with.
 */
export const access: string = `
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
`;
