import { sessionJson } from "./005-rpc.ts";
import { inSchema, storeEvents } from "./006-append.ts";

/** SQL for the number of pending questions after the append. */
const pending = "s.pending + coalesce((p_patch ->> 'pending')::integer, 0)";

/**
 * SQL for `statusAfter()` of core, computed while the row is locked: `expired` stays, and `completed` stays
 * until another run begins or the session expires. A session is suspended only while all questions that its
 * run waits for are pending. An append with `wakes` makes it active.
 */
export const statusAfterAppend: string = `CASE
          WHEN s.status = 'expired' THEN s.status
          WHEN p_patch ->> 'status' IS NULL
            THEN CASE WHEN s.status = 'suspended' AND (p_patch ->> 'wakes')::boolean THEN 'active' ELSE s.status END
          WHEN s.status = 'completed' AND p_patch ->> 'status' <> 'expired' AND p_patch ->> 'open_run' IS NULL
            THEN s.status
          WHEN p_patch ->> 'status' = 'suspended' AND (p_patch ->> 'waits_for')::integer <> ${pending} THEN 'active'
          ELSE p_patch ->> 'status' END`;

/**
 * Makes a suspended session recoverable if one of its questions has been answered. Appends do this for new
 * answers, this migration for existing ones, and the list of recoverable sessions for any others.
 */
export const suspended: string = `
${inSchema(storeEvents("CREATE OR REPLACE", statusAfterAppend))}
CREATE OR REPLACE FUNCTION pawl_rpc_recoverable(p_limit integer, p_agents text)
RETURNS json LANGUAGE plpgsql STABLE AS $pawl$
BEGIN
  RETURN json_build_object('sessions', (
    SELECT coalesce(json_agg(${sessionJson} ORDER BY s.updated_at, s.id), '[]')
    FROM (
      SELECT * FROM agent_sessions
      WHERE open_run IS NOT NULL AND (status <> 'suspended' OR pending <= 0)
        AND (p_agents IS NULL OR agent IN (SELECT json_array_elements_text(p_agents::json)))
        AND (lease_holder IS NULL OR lease_expires_at <= clock_timestamp())
      ORDER BY updated_at, id LIMIT p_limit
    ) s));
END $pawl$;

BEGIN
  EXECUTE format('ALTER FUNCTION pawl_rpc_recoverable(integer, text) SET search_path = %I, pg_temp', current_schema());
END;

UPDATE agent_sessions s SET status = 'active'
WHERE s.status = 'suspended' AND s.open_run IS NOT NULL AND s.pending < (
  SELECT json_array_length(e.data -> 'pending') FROM agent_session_events e
  WHERE e.session_id = s.id AND e.event_type = 'run_suspended'
  ORDER BY e.sequence_number DESC LIMIT 1);
`;
