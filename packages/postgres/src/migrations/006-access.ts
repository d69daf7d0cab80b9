const storing = `pawl_store_event(text, text, integer, text, text, double precision, text, integer, text, integer),
    pawl_store_events(text, text, integer, integer, text, text, integer, text, integer, boolean, text)`;

/**
 * Rights on the functions that store events: only the roles that could append before have them, whatever a
 * database grants by default. Users have no rights on reservations, whatever their role.
 */
export const accessAgain: string = `
CREATE OR REPLACE FUNCTION pawl_grant_service(p_role name) RETURNS void LANGUAGE plpgsql AS $pawl$
DECLARE
  tables text[] := ARRAY['agent_sessions', 'agent_session_events', 'agent_session_blobs', 'agent_reservations'];
  one text;
BEGIN
  EXECUTE format('GRANT USAGE ON SCHEMA %I TO %I', current_schema(), p_role);
  EXECUTE format('GRANT SELECT ON pawl_migrations, agent_session_summaries, agent_daily_metrics TO %I', p_role);
  EXECUTE format('GRANT EXECUTE ON FUNCTION ${storing},
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

REVOKE EXECUTE ON FUNCTION ${storing} FROM PUBLIC;

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
    EXECUTE format('GRANT EXECUTE ON FUNCTION ${storing} TO %I', given);
  END LOOP;
  FOR given IN SELECT DISTINCT r.rolname FROM pg_proc p, aclexplode(p.proacl) a, pg_roles r
    WHERE p.oid = 'pawl_send_message(text, text, json, text)'::regprocedure
      AND a.grantee <> p.proowner AND r.oid = a.grantee AND r.rolname <> ALL (appenders) LOOP
    EXECUTE format('REVOKE ALL ON agent_reservations FROM %I', given);
  END LOOP;
END;
`;
