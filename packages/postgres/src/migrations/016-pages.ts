import { withWakeAt } from "./011-wake.ts";
import { SERVICE_RPC } from "./012-open.ts";

const page = "pawl_rpc_recoverable_after(integer, text, text)";

/**
 * Function for PostgREST that lists recoverable sessions page by page: those after an id, in the order of
 * ids, which has an index. Those who may append may call it. `pawl_rpc_recoverable` stays for the first page,
 * and for processes of an earlier version.
 */
export const pages: string = `
CREATE FUNCTION pawl_rpc_recoverable_after(p_limit integer, p_agents text, p_after text)
RETURNS json LANGUAGE plpgsql STABLE AS $pawl$
BEGIN
  RETURN json_build_object('sessions', (
    SELECT coalesce(json_agg(${withWakeAt} ORDER BY s.id), '[]')
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
  PERFORM pawl_grant_rpc(p_role, ARRAY['pawl_user_id', ${SERVICE_RPC}, 'pawl_rpc_open_session',
    'pawl_rpc_save_snapshot', 'pawl_rpc_recoverable_after']);
END $pawl$;

DECLARE
  one regprocedure;
  given name;
BEGIN
  REVOKE EXECUTE ON FUNCTION ${page} FROM PUBLIC;
  FOR given IN SELECT r.rolname FROM pg_proc p, aclexplode(p.proacl) a, pg_roles r
    WHERE p.oid = '${page}'::regprocedure AND a.grantee <> p.proowner AND r.oid = a.grantee LOOP
    EXECUTE format('REVOKE ALL ON FUNCTION ${page} FROM %I', given);
  END LOOP;
  -- Replacing a function drops its settings.
  FOR one IN SELECT p.oid FROM pg_proc p WHERE p.pronamespace = current_schema()::regnamespace
    AND p.proname IN ('pawl_rpc_recoverable_after', 'pawl_grant_rpc_service') LOOP
    EXECUTE format('ALTER FUNCTION %s SET search_path = %I, pg_temp', one, current_schema());
  END LOOP;
  FOR given IN SELECT r.rolname FROM pg_proc p, aclexplode(p.proacl) a, pg_roles r
    WHERE p.pronamespace = current_schema()::regnamespace AND p.proname = 'pawl_rpc_append'
      AND a.privilege_type = 'EXECUTE' AND a.grantee <> p.proowner AND r.oid = a.grantee LOOP
    EXECUTE format('GRANT EXECUTE ON FUNCTION ${page} TO %I', given);
  END LOOP;
END;
`;
