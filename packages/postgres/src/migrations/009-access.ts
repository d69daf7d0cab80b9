import { sessionJson } from "./005-rpc.ts";

/**
 * Columns that users may read, from this migration on: all of a session except the lease, and all of an
 * event except its append id and size.
 */
export const READABLE = {
  agent_sessions: `id, user_id, agent, status, created_at, updated_at, context_start_sequence, last_sequence, open_run,
    pending, input_tokens, output_tokens, cached_tokens, cache_write_tokens, cache_write_1h_tokens, total_tokens,
    total_cost_cents, metadata`,
  agent_session_events: `id, session_id, sequence_number, event_type, version, timestamp, duration_ms, event_key, data`,
} as const;

const grantColumns = (table: keyof typeof READABLE, role: string): string =>
  `EXECUTE format('GRANT SELECT (${READABLE[table]}) ON ${table} TO %I', ${role});`;

/** SQL that replaces a role's right to read the whole table, if it has that right. */
const narrow = (table: keyof typeof READABLE, role: string): string => `
    IF EXISTS (SELECT FROM pg_class c, aclexplode(c.relacl) a, pg_roles r WHERE c.oid = '${table}'::regclass
      AND a.privilege_type = 'SELECT' AND r.oid = a.grantee AND r.rolname = ${role}) THEN
      EXECUTE format('REVOKE SELECT ON ${table} FROM %I', ${role});
      ${grantColumns(table, role)}
    END IF;`;

/** Functions that users may call through PostgREST. */
const RPC = ["events", "session", "sessions", "get_blob", "send_message", "answer"]
  .map((name) => `'pawl_rpc_${name}'`)
  .join(", ");

/**
 * Lets users read single columns instead of whole tables, so that append ids and leases stay hidden. Roles
 * with `pawl_grant_users` lose the other columns here. A role whose right to read was revoked does not get it
 * back. Roles that may append are services, and keep their rights.
 *
 * `pawl_rpc_explain` and `pawl_rpc_recoverable` read the hidden columns, so they are for services only.
 * `pawl_rpc_sessions` works as before, but names its columns.
 */
export const columns: string = `
CREATE OR REPLACE FUNCTION pawl_grant_users(p_role name) RETURNS void LANGUAGE plpgsql AS $pawl$
BEGIN
  EXECUTE format('GRANT USAGE ON SCHEMA %I TO %I', current_schema(), p_role);
  EXECUTE format('REVOKE ALL ON pawl_migrations, agent_sessions, agent_session_events, agent_session_blobs,
    agent_session_summaries, agent_daily_metrics, agent_reservations, agent_session_live FROM %I', p_role);
  EXECUTE format('GRANT SELECT ON agent_session_blobs, agent_session_summaries, agent_daily_metrics TO %I', p_role);
  ${grantColumns("agent_sessions", "p_role")}
  ${grantColumns("agent_session_events", "p_role")}
  EXECUTE format('GRANT EXECUTE ON FUNCTION pawl_user_id(), pawl_send_message(text, text, json, text),
    pawl_answer(text, text, integer, json) TO %I', p_role);
END $pawl$;

CREATE OR REPLACE FUNCTION pawl_grant_rpc_users(p_role name) RETURNS void LANGUAGE plpgsql AS $pawl$
BEGIN
  PERFORM pawl_grant_rpc(p_role, ARRAY['pawl_user_id', ${RPC}]);
END $pawl$;

CREATE OR REPLACE FUNCTION pawl_rpc_sessions(p_user_id text, p_agent text, p_status text, p_limit integer)
RETURNS json LANGUAGE plpgsql STABLE AS $pawl$
BEGIN
  RETURN json_build_object('sessions', (
    SELECT coalesce(json_agg(${sessionJson} ORDER BY s.created_at DESC, s.id), '[]')
    FROM (
      SELECT ${READABLE.agent_sessions} FROM agent_sessions
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
    ) LOOP${narrow("agent_sessions", "given")}${narrow("agent_session_events", "given")}
    EXECUTE format('REVOKE ALL ON FUNCTION pawl_rpc_explain(text, text, text), pawl_rpc_recoverable(integer, text)
      FROM %I', given);
  END LOOP;
END;
`;
