import { LEASE_IS_OVER, OR_BEGINS_LATER } from "../database/lease-is-over.ts";
import { withWakeAt } from "./011-wake.ts";
import { openFunction } from "./012-open.ts";
import { acquireFunction } from "./014-acquired.ts";

const sets = ", lease_since = clock_timestamp()";

/** SQL of a function that lists recoverable sessions, sorted by these columns of `s`. */
const list = (due: string, head: string, also: string, order: string): string => `
CREATE OR REPLACE FUNCTION ${head} RETURNS json LANGUAGE plpgsql STABLE AS $pawl$
BEGIN
  RETURN json_build_object('sessions', (
    SELECT coalesce(json_agg(${withWakeAt} ORDER BY ${order}), '[]')
    FROM (
      SELECT * FROM agent_sessions s
      WHERE open_run IS NOT NULL
        AND CASE WHEN wake_at IS NULL THEN status <> 'suspended' OR pending <= 0 ELSE ${due} END
        AND (p_agents IS NULL OR agent IN (SELECT json_array_elements_text(p_agents::json)))
        AND ${LEASE_IS_OVER}${also}
      ORDER BY ${order} LIMIT p_limit
    ) s));
END $pawl$;
`;

/** SQL of both functions that list recoverable sessions. `due` says whether the time of a wait has come. */
export const lists = (due: string): string =>
  `${list(due, "pawl_rpc_recoverable(p_limit integer, p_agents text)", "", "s.updated_at, s.id")}
${list(due, "pawl_rpc_recoverable_after(p_limit integer, p_agents text, p_after text)", "\n        AND id > p_after", "s.id")}`;

const renew = `
CREATE OR REPLACE FUNCTION pawl_rpc_renew(p_session_id text, p_holder text, p_epoch integer, p_ttl_ms float8)
RETURNS json LANGUAGE plpgsql AS $pawl$
BEGIN
  UPDATE agent_sessions
  SET lease_expires_at = clock_timestamp() + p_ttl_ms * interval '1 millisecond'${sets}
  WHERE id = p_session_id AND lease_holder = p_holder AND lease_epoch = p_epoch;
  RETURN json_build_object('renewed', FOUND);
END $pawl$;
`;

/**
 * Keeps when a lease was acquired or renewed, so that one is found whose time was set back. Processes of an
 * earlier version do not set it: it is then empty, or of an earlier lease, and the time at which the lease
 * ends counts alone. Users cannot read it. Rights stay as they are.
 */
export const leases: string = `
ALTER TABLE agent_sessions ADD COLUMN IF NOT EXISTS lease_since timestamptz;

${openFunction("CREATE OR REPLACE", sets, OR_BEGINS_LATER)}
${acquireFunction(sets, OR_BEGINS_LATER)}
${renew}
${lists("wake_at <= clock_timestamp()")}
DECLARE
  one regprocedure;
BEGIN
  -- Replacing a function drops its settings.
  FOR one IN SELECT p.oid FROM pg_proc p WHERE p.pronamespace = current_schema()::regnamespace AND p.proname IN (
    'pawl_open', 'pawl_rpc_acquire', 'pawl_rpc_renew', 'pawl_rpc_recoverable', 'pawl_rpc_recoverable_after') LOOP
    EXECUTE format('ALTER FUNCTION %s SET search_path = %I, pg_temp', one, current_schema());
  END LOOP;
END;
`;
