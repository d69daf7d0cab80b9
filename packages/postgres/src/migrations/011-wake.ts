import { sessionJson } from "./005-rpc.ts";
import { inSchema, storeEvents } from "./006-append.ts";
import { READABLE } from "./009-access.ts";
import { statusAfterAppend } from "./010-suspended.ts";

/** SQL that sets `wake_at` by `wakeAtAfter()` of core, computed while the row is locked. */
export const wakeAtAfterAppend: string = `,
        wake_at = CASE
          WHEN (p_patch ->> 'sets_wake_at')::boolean THEN (p_patch ->> 'wake_at')::timestamptz
          WHEN (p_patch ->> 'wakes')::boolean OR p_patch ->> 'status' <> 'suspended' THEN NULL
          ELSE s.wake_at END`;

/** SQL that converts a session's row to JSON, with the time at which it is woken. */
export const withWakeAt: string = `${sessionJson.slice(0, -1)}, 'wake_at', date_part('epoch', s.wake_at))`;

const functions = `
CREATE OR REPLACE FUNCTION pawl_rpc_create_session(p_id text, p_user_id text, p_agent text, p_metadata text)
RETURNS json LANGUAGE plpgsql AS $pawl$
DECLARE
  made json;
BEGIN
  INSERT INTO agent_sessions AS s (id, user_id, agent, metadata, created_at, updated_at)
  SELECT p_id, p_user_id, p_agent, p_metadata::jsonb, now, now FROM clock_timestamp() AS now
  ON CONFLICT (id) DO NOTHING RETURNING ${withWakeAt} INTO made;
  RETURN json_build_object('session', made);
END $pawl$;

CREATE OR REPLACE FUNCTION pawl_rpc_session(p_id text) RETURNS json LANGUAGE plpgsql STABLE AS $pawl$
BEGIN
  RETURN json_build_object('session', (SELECT ${withWakeAt} FROM agent_sessions s WHERE s.id = p_id));
END $pawl$;

CREATE OR REPLACE FUNCTION pawl_rpc_sessions(p_user_id text, p_agent text, p_status text, p_limit integer)
RETURNS json LANGUAGE plpgsql STABLE AS $pawl$
BEGIN
  RETURN json_build_object('sessions', (
    SELECT coalesce(json_agg(${withWakeAt} ORDER BY s.created_at DESC, s.id), '[]')
    FROM (
      SELECT ${READABLE.agent_sessions}, wake_at FROM agent_sessions
      WHERE user_id = p_user_id AND (p_agent IS NULL OR agent = p_agent)
        AND (p_status IS NULL OR status IN (SELECT json_array_elements_text(p_status::json)))
      ORDER BY created_at DESC, id LIMIT p_limit
    ) s));
END $pawl$;

CREATE OR REPLACE FUNCTION pawl_rpc_recoverable(p_limit integer, p_agents text)
RETURNS json LANGUAGE plpgsql STABLE AS $pawl$
BEGIN
  RETURN json_build_object('sessions', (
    SELECT coalesce(json_agg(${withWakeAt} ORDER BY s.updated_at, s.id), '[]')
    FROM (
      SELECT * FROM agent_sessions
      WHERE open_run IS NOT NULL
        AND CASE WHEN wake_at IS NULL THEN status <> 'suspended' OR pending <= 0 ELSE wake_at <= clock_timestamp() END
        AND (p_agents IS NULL OR agent IN (SELECT json_array_elements_text(p_agents::json)))
        AND (lease_holder IS NULL OR lease_expires_at <= clock_timestamp())
      ORDER BY updated_at, id LIMIT p_limit
    ) s));
END $pawl$;

CREATE OR REPLACE FUNCTION pawl_grant_users(p_role name) RETURNS void LANGUAGE plpgsql AS $pawl$
BEGIN
  EXECUTE format('GRANT USAGE ON SCHEMA %I TO %I', current_schema(), p_role);
  EXECUTE format('REVOKE ALL ON pawl_migrations, agent_sessions, agent_session_events, agent_session_blobs,
    agent_session_summaries, agent_daily_metrics, agent_reservations, agent_session_live FROM %I', p_role);
  EXECUTE format('GRANT SELECT ON agent_session_blobs, agent_session_summaries, agent_daily_metrics TO %I', p_role);
  EXECUTE format('GRANT SELECT (${READABLE.agent_sessions}, wake_at) ON agent_sessions TO %I', p_role);
  EXECUTE format('GRANT SELECT (${READABLE.agent_session_events}) ON agent_session_events TO %I', p_role);
  EXECUTE format('GRANT EXECUTE ON FUNCTION pawl_user_id(), pawl_send_message(text, text, json, text),
    pawl_answer(text, text, integer, json) TO %I', p_role);
END $pawl$;
`;

/**
 * Wakes runs at a time: `wake_at` is when a run that waits continues even without an answer. Users may read
 * it, with the columns that they could read before. Processes of an earlier version append as before.
 */
export const wake: string = `
ALTER TABLE agent_sessions ADD COLUMN IF NOT EXISTS wake_at timestamptz;
${inSchema(storeEvents("CREATE OR REPLACE", statusAfterAppend, wakeAtAfterAppend))}
${functions}
DECLARE
  one regprocedure;
  given name;
BEGIN
  -- Replacing a function drops its settings.
  FOR one IN SELECT p.oid FROM pg_proc p WHERE p.pronamespace = current_schema()::regnamespace AND p.proname IN (
    'pawl_rpc_create_session', 'pawl_rpc_session', 'pawl_rpc_sessions', 'pawl_rpc_recoverable',
    'pawl_grant_users') LOOP
    EXECUTE format('ALTER FUNCTION %s SET search_path = %I, pg_temp', one, current_schema());
  END LOOP;
  FOR given IN SELECT DISTINCT r.rolname FROM pg_attribute c, aclexplode(c.attacl) a, pg_roles r
    WHERE c.attrelid = 'agent_sessions'::regclass AND c.attname = 'last_sequence'
      AND a.privilege_type = 'SELECT' AND r.oid = a.grantee LOOP
    EXECUTE format('GRANT SELECT (wake_at) ON agent_sessions TO %I', given);
  END LOOP;
END;
`;
